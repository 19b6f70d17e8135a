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

// digests are those of the catalog's kinds and surroundings, by number.
type digests struct{ nodes, pods, around [][]byte }

// fill adds the digests of what was entered since.
func (d *digests) fill(c *Catalog) {
	for _, kind := range c.nodeKinds[len(d.nodes):] {
		d.nodes = append(d.nodes, digestOf(kind))
	}
	for _, kind := range c.podKinds[len(d.pods):] {
		d.pods = append(d.pods, digestOf(kind))
	}
	for _, around := range c.around[len(d.around):] {
		d.around = append(d.around, digestOf(around))
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
	places := make([][]byte, len(q.Places))
	for i, content := range q.Places {
		nominee := byte(0)
		if i == q.Nomination {
			nominee = 1
		}
		places[i] = append(slices.Clone(content.digest), nominee)
	}
	slices.SortFunc(places, bytes.Compare)
	sum := sha256.Sum256(slices.Concat(c.digests.pods[q.Asker], bytes.Join(places, nil)))
	return Digest(sum[:len(Digest{})])
}

// digest gives the digest of a content, whatever the numbers of its kinds are.
func (d *digests) digest(content *Content, around int) []byte {
	pods := func(pods []Pod) []byte {
		var each [][]byte
		for _, p := range pods {
			each = append(each, append(slices.Clone(d.pods[p.Kind()]), byte(p.Phase())))
		}
		slices.SortFunc(each, bytes.Compare)
		return append([]byte{byte(len(each))}, bytes.Join(each, nil)...)
	}
	sum := sha256.Sum256(slices.Concat(d.around[around], d.nodes[content.Kind], pods(content.Bound), pods(content.Nominated)))
	return sum[:]
}
