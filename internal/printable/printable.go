// Package printable makes text that comes from the input fit to be printed. Whoever wrote the input may be anybody:
// control characters could rewrite what a terminal shows, and one value could fill the screen.
package printable

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Most is how many characters of one value are printed.
const Most = 200

// Value quotes a value as Go does, and cuts it at Most characters.
func Value(text string) string {
	head, n := cut(text)
	return strconv.Quote(head) + said(n)
}

// Name cuts a name, which is printed without quotes, at Most characters. It has one line.
func Name(text string) string {
	head, n := cut(text)
	return Line(head) + said(n)
}

// Text escapes a message but for the ends of its lines, and cuts what is longer than Most characters: what is in
// quotes, and what has no blank in it.
func Text(message string) string {
	return Escape(shorten(message))
}

// Escape escapes, but for the ends of lines, what Go escapes in a quoted string: what is not UTF-8, and all that shows
// nothing, moves the cursor, or turns the direction of what follows.
func Escape(text string) string {
	return escape(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
}

// Line escapes the ends of lines too: no value of the input begins a line of the output.
func Line(text string) string {
	return escape(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

func escape(text string, escaped func(rune) bool) string {
	if strings.IndexFunc(text, escaped) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case escaped(r):
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		default:
			b.WriteRune(r)
		}
		text = text[size:]
	}
	return b.String()
}

// JSON escapes, in the strings of a document, what shows nothing: parsers of YAML refuse some of that, and terminals
// do what it says. The document says the same as before.
func JSON(document []byte) []byte {
	// Those beyond take two escapes, which parsers of YAML refuse, and they do nothing.
	hidden := func(r rune) bool { return r >= '\x7f' && r <= '\uffff' && !unicode.IsPrint(r) }
	if bytes.IndexFunc(document, hidden) < 0 {
		return document
	}
	var b bytes.Buffer
	for _, r := range string(document) {
		if hidden(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

// shorten cuts quoted strings first: they may have blanks.
func shorten(message string) string {
	if len(message) <= Most {
		return message
	}
	var b strings.Builder
	for len(message) > 0 {
		part := message[:partEnd(message)]
		message = message[len(part):]
		head, n := cut(part)
		if n > 0 && cutBefore(part, message) {
			head, n = part, 0
		}
		b.WriteString(head)
		if n > 0 && part[0] == '"' {
			b.WriteByte('"')
		}
		b.WriteString(said(n))
	}
	return b.String()
}

// cutBefore reports whether a word ends in a name that was cut, as what follows it says. Beside that name it may have
// another, such as its namespace.
func cutBefore(word, rest string) bool {
	return strings.HasSuffix(word, "...") && saidBefore.MatchString(rest) &&
		utf8.RuneCountInString(word) <= 2*Most+len("/...")
}

var saidBefore = regexp.MustCompile(`^ \(\d+ characters\)`)

// partEnd returns where the first part of a text ends: a quoted string with its quotes, a word, or the blanks between
// words.
func partEnd(text string) int {
	if text[0] == '"' {
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
	}
	blank := text[0] == ' '
	for i := 1; i < len(text); i++ {
		if (text[i] == ' ') != blank || text[i] == '"' && text[i-1] == ' ' || text[i-1] == '\n' {
			return i
		}
	}
	return len(text)
}

// cut returns the first characters of a text, and how many it has if these are not all.
func cut(text string) (head string, n int) {
	if len(text) <= Most || utf8.RuneCountInString(text) <= Most {
		return text, 0
	}
	at := 0
	for i := range text {
		if at == Most {
			return text[:i], utf8.RuneCountInString(text)
		}
		at++
	}
	return text, 0
}

// said says that a text of so many characters was cut.
func said(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("... (%d characters)", n)
}
