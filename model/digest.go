package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
)

// Digest tells questions apart in every run: two questions have the same one if they are the same but for the order of nodes and of
// pods. It is long enough that two different questions never share one.
type Digest [16]byte

// digests are those of the catalog's kinds, by number.
type digests struct{ nodes, pods [][]byte }

// fill adds the digests of what was entered since.
func (d *digests) fill(c *Catalog) {
	for _, kind := range c.nodeKinds[len(d.nodes):] {
		d.nodes = append(d.nodes, digestOf(kind))
	}
	for _, kind := range c.podKinds[len(d.pods):] {
		d.pods = append(d.pods, digestOf(kind))
	}
}

// digestOf gives the digest of what a value says as JSON.
func digestOf(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("model: a %T cannot be written: %v", value, err)) // API objects always can
	}
	sum := sha256.Sum256(text)
	return sum[:]
}

// Digest gives the digest of a question.
func (c *Catalog) Digest(q *Question) Digest {
	type place [sha256.Size + 1]byte // the content, and whether the pod is nominated to it
	places := make([]place, 0, 8)    // so that few take no memory
	for i, content := range q.Places {
		places = append(places, place{})
		copy(places[i][:], content.digest)
		if i == q.Nomination {
			places[i][sha256.Size] = 1
		}
	}
	slices.SortFunc(places, func(a, b place) int { return bytes.Compare(a[:], b[:]) })
	text := append(make([]byte, 0, 9*len(place{})), c.digests.pods[q.Asker]...)
	for i := range places {
		text = append(text, places[i][:]...)
	}
	sum := sha256.Sum256(text)
	return Digest(sum[:len(Digest{})])
}

// digest gives the digest of a content, whatever the numbers of its kinds are.
func (d *digests) digest(content *Content) []byte {
	pods := func(pods []Pod) []byte {
		var each [][]byte
		for _, p := range pods {
			each = append(each, append(slices.Clone(d.pods[p.Kind()]), byte(p.Phase()), byte(p.Rank())))
		}
		slices.SortFunc(each, bytes.Compare)
		return append([]byte{byte(len(each))}, bytes.Join(each, nil)...)
	}
	sum := sha256.Sum256(slices.Concat(content.around.digest, d.nodes[content.Kind], pods(content.Bound), pods(content.Nominated)))
	return sum[:]
}
