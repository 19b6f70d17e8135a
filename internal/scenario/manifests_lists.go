package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	strictjson "sigs.k8s.io/json"
)

// items takes lists apart, such as kubectl get prints: a List, whose items state their kinds, or a
// list of one kind, whose items need not.
func (r *reading) items(documents []document) []document {
	var items []document
	for _, d := range documents {
		if d.items == nil && !mayBeList(d.json) {
			items = append(items, d)
			continue
		}
		var head header
		// a document that is no object is said when it is decoded
		_ = strictjson.UnmarshalCaseSensitivePreserveInts(d.json, &head)
		kind, isList := strings.CutSuffix(head.Kind, "List")
		if !isList || head.Items == nil && d.items == nil && kind != "" && !slices.Contains(Kinds(), kind) {
			items = append(items, d)
			continue
		}
		var list struct {
			metav1.TypeMeta `json:",inline"`
			metav1.ListMeta `json:"metadata"`
			Items           []json.RawMessage `json:"items"`
		}
		strict, err := strictjson.UnmarshalStrict(d.json, &list)
		if len(strict) > 0 && kind != "" && !slices.Contains(Kinds(), kind) {
			items = append(items, d) // it is called like a list, and is more
			continue
		}
		for _, err := range strict {
			wrong := plainStrict(err)
			r.fail(d.source, head.Kind, wrong.path, wrong.err)
		}
		if err != nil {
			r.fail(d.source, head.Kind, "",
				fmt.Errorf("%w; a list has metadata, an object, and items, a list of objects", plainJSON(err)))
		}
		if d.items != nil {
			list.Items = d.items
		}
		for i, raw := range list.Items {
			source := d.source
			source.Item = i + 1
			if kind != "" {
				raw = withKind(raw, head.APIVersion, kind)
			}
			items = append(items, document{source: source, raw: raw, json: raw})
		}
	}
	return items
}

// mayBeList tells from afar whether an object in JSON has a kind that ends like that of a list.
func mayBeList(data []byte) bool {
	return bytes.Contains(data, []byte(`List"`)) || bytes.Contains(data, []byte(`\u`))
}

// withKind states the kind of an item that leaves it to its list. It goes in as text: taking the item apart would lose
// fields that are repeated, which are to be found later.
func withKind(raw json.RawMessage, apiVersion, kind string) json.RawMessage {
	var item map[string]json.RawMessage
	if json.Unmarshal(raw, &item) != nil || item == nil || item["kind"] != nil || item["apiVersion"] != nil {
		return raw
	}
	stated, err := json.Marshal(metav1.TypeMeta{APIVersion: apiVersion, Kind: kind})
	if err != nil {
		panic(fmt.Sprintf("two strings are not JSON: %v", err))
	}
	if len(item) == 0 {
		return stated
	}
	stated = append(bytes.TrimSuffix(stated, []byte("}")), ',')
	return append(stated, bytes.TrimPrefix(bytes.TrimSpace(raw), []byte("{"))...)
}
