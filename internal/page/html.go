package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/report"
)

//go:embed app
var app embed.FS

// scripts are the parts of the one script of the page, in order.
var scripts = []string{"elements.js", "tips.js", "states.js", "cluster.js", "node.js", "decision.js", "difference.js",
	"timeline.js", "trace.js", "explore.js", "summary.js", "main.js"}

// styles are those of the page of a run.
var styles = []string{"style.css"}

// auditScripts are those of the page of an audit.
var auditScripts = []string{"elements.js", "auditsheet.js", "auditmap.js", "auditfilter.js", "auditlists.js",
	"audit.js"}

var shell = template.Must(template.ParseFS(app, "app/page.html"))

// Write writes the page of a run as one file, which loads nothing from anywhere. newDecider gives kube-scheduler,
// which is asked about the states that the file holds. An error means that a state could not be shown, or is the
// writer's.
func Write(w io.Writer, run *report.Run, newDecider func() (decisions.Decider, error)) error {
	t, err := newTour(run, newDecider)
	if err != nil {
		return err
	}
	defer t.close()
	data, err := newData(t, false)
	if err != nil {
		return err
	}
	return write(w, data)
}

// write fills the page of a run in. Only a server's page may ask that server.
func write(w io.Writer, data *Data) error {
	return fill(w, data, connections(data.Live), styles, scripts)
}

// connections is what the script of a page of a run may connect to.
func connections(live bool) string {
	if live {
		return "'self'"
	}
	return "'none'"
}

// policy is the content security policy of a page. Nothing but its own style and script may run in it.
func policy(connect string, styles, scripts []string) string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; connect-src %s; img-src data:; "+
		"base-uri 'none'; form-action 'none'", digest(joined(styles)), digest(joined(scripts)), connect)
}

// fill fills a page in.
func fill(w io.Writer, data any, connect string, styles, scripts []string) error {
	packed, err := pack(data)
	if err != nil {
		return err
	}
	return shell.Execute(w, struct {
		Policy string
		Style  template.CSS
		Script template.JS
		Data   string
	}{
		Policy: policy(connect, styles, scripts), Data: packed,
		Style: template.CSS(joined(styles)), Script: template.JS(joined(scripts)),
	})
}

// pack writes data as JSON, compressed to a twentieth, in letters that mean nothing to HTML, whatever the strings
// of a cluster are.
func pack(data any) (string, error) {
	var packed strings.Builder
	letters := base64.NewEncoder(base64.RawURLEncoding, &packed)
	compressed := gzip.NewWriter(letters)
	if err := errors.Join(json.NewEncoder(compressed).Encode(data), compressed.Close(), letters.Close()); err != nil {
		return "", err
	}
	return packed.String(), nil
}

// Unpack reads the data that a page holds: a Data, or an AuditData.
func Unpack(page []byte, data any) error {
	_, rest, _ := bytes.Cut(page, []byte(`id="data">`))
	text, _, found := bytes.Cut(rest, []byte("<"))
	if !found {
		return errors.New("it is not a page that modelcheck wrote")
	}
	plain, err := gzip.NewReader(base64.NewDecoder(base64.RawURLEncoding, bytes.NewReader(text)))
	if err != nil {
		return err
	}
	return json.NewDecoder(plain).Decode(data)
}

// digest names a source in a content security policy.
func digest(source string) string {
	sum := sha256.Sum256([]byte(source))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func joined(names []string) string {
	var text strings.Builder
	for _, name := range names {
		text.WriteString(source(name))
	}
	return text.String()
}

func source(name string) string {
	text, err := app.ReadFile("app/" + name)
	if err != nil {
		panic("page: " + err.Error()) // it is embedded
	}
	return string(text)
}
