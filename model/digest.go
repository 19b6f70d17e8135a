package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
)

// Digest tells questions apart in every run: two questions have the same one if they are the same but for the order
// of nodes and of pods. It is long enough that two different questions never share one.
type Digest [16]byte

// digests are those of the catalog's templates, by number.
type digests struct{ nodes, pods [][]byte }

// fill adds the digests of what was entered since.
func (d *digests) fill(c *Catalog) {
	for _, template := range c.nodeTemplates[len(d.nodes):] {
		d.nodes = append(d.nodes, digestOf(template))
	}
	for _, template := range c.podTemplates[len(d.pods):] {
		d.pods = append(d.pods, digestOf(template))
	}
}

// digestOf returns the digest of what a value says as JSON.
func digestOf(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("model: a %T cannot be written: %v", value, err)) // API objects always can
	}
	sum := sha256.Sum256(text)
	return sum[:]
}

// Digest returns the digest of a question.
func (c *Catalog) Digest(q *CanonicalQuestion) Digest {
	type nodeState [sha256.Size + 1]byte  // the content, and whether the pod is nominated to it
	nodeStates := make([]nodeState, 0, 8) // so that few take no memory
	for i, content := range q.Nodes {
		nodeStates = append(nodeStates, nodeState{})
		copy(nodeStates[i][:], content.digest)
		if i == q.Nomination {
			nodeStates[i][sha256.Size] = 1
		}
	}
	slices.SortFunc(nodeStates, func(a, b nodeState) int { return bytes.Compare(a[:], b[:]) })
	text := append(make([]byte, 0, 9*len(nodeState{})), c.digests.pods[q.Pending]...)
	for i := range nodeStates {
		text = append(text, nodeStates[i][:]...)
	}
	sum := sha256.Sum256(text)
	return Digest(sum[:len(Digest{})])
}

// digest returns the digest of a content, whatever the numbers of its templates are.
func (d *digests) digest(content *Content) []byte {
	pods := func(pods []Pod) []byte {
		var each [][]byte
		for _, p := range pods {
			each = append(each, append(slices.Clone(d.pods[p.Template()]), byte(p.Phase()), byte(p.Rank())))
		}
		slices.SortFunc(each, bytes.Compare)
		return append([]byte{byte(len(each))}, bytes.Join(each, nil)...)
	}
	sum := sha256.Sum256(slices.Concat(content.around.digest, d.nodes[content.Template], pods(content.Bound),
		pods(content.Nominated)))
	return sum[:]
}
