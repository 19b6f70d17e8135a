package scenario

import (
	"strings"

	goyaml "go.yaml.in/yaml/v3"
)

// positions finds the lines of fields in a document. Documents without a text of their own (items of lists) have none.
type positions struct {
	root   *goyaml.Node
	offset int // lines of the file before the text
	lines  []string
}

// positionsOf reads the text of the document once more. JSON is YAML too.
func positionsOf(d document) *positions {
	p := &positions{}
	if d.source.Item > 0 || goyaml.Unmarshal(d.raw, &goyaml.Node{}) != nil {
		return p
	}
	p.root = &goyaml.Node{}
	if goyaml.Unmarshal(d.raw, p.root) != nil || len(p.root.Content) == 0 {
		return &positions{}
	}
	p.root = p.root.Content[0]
	p.lines = strings.Split(string(d.raw), "\n")
	p.offset = d.source.Line - leadingLines(d.raw) - 1
	return p
}

// node finds the field of a path such as spec.pods[0].template; the nearest around it if it is not there.
func (p *positions) node(path string) *goyaml.Node {
	node := p.root
	for _, step := range strings.FieldsFunc(path, func(c rune) bool { return c == '.' || c == '[' || c == ']' }) {
		next := childNode(node, step)
		if next == nil {
			break
		}
		node = next
	}
	return node
}

// childNode returns the value of a key, or the element of an index.
func childNode(node *goyaml.Node, step string) *goyaml.Node {
	switch node.Kind {
	case goyaml.AliasNode:
		return childNode(node.Alias, step)
	case goyaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == step {
				return node.Content[i+1]
			}
		}
	case goyaml.SequenceNode:
		index := 0
		for _, digit := range step {
			if digit < '0' || digit > '9' {
				return nil
			}
			index = 10*index + int(digit-'0')
		}
		if step != "" && index < len(node.Content) {
			return node.Content[index]
		}
	}
	return nil
}

// at returns the line of a field in the file; 0 if it is not known.
func (p *positions) at(path string) int {
	if p.root == nil {
		return 0
	}
	return p.node(path).Line + p.offset
}

// within returns the line and the column in the file of a place in the text of a field.
func (p *positions) within(path string, line, column int) (int, int) {
	if p.root == nil || line == 0 {
		return p.at(path), 0
	}
	node := p.node(path)
	switch {
	case node.Style&(goyaml.LiteralStyle|goyaml.FoldedStyle) != 0:
		return p.withinBlock(node, line, column)
	case line > 1:
		return node.Line + p.offset, 0 // lines that YAML joined
	case node.Style&(goyaml.DoubleQuotedStyle|goyaml.SingleQuotedStyle) != 0:
		column++
	}
	return node.Line + p.offset, node.Column - 1 + column
}

// withinBlock is within for a block of lines, which begins on the line after its header. Its indentation is that of
// its first line. Lines of a folded block are joined by one space each, but for those that YAML keeps, after which
// the column is not known.
func (p *positions) withinBlock(node *goyaml.Node, line, column int) (int, int) {
	first := node.Line
	for first < len(p.lines) && strings.TrimSpace(p.lines[first]) == "" {
		first++
	}
	if first >= len(p.lines) {
		return node.Line + p.offset, 0
	}
	indent := len(p.lines[first]) - len(strings.TrimLeft(p.lines[first], " "))
	if node.Style&goyaml.FoldedStyle == 0 {
		return first + line + p.offset, indent + column
	}
	if line > 1 {
		return node.Line + p.offset, 0
	}
	for at := first; at < len(p.lines); at++ {
		text := strings.TrimSpace(p.lines[at])
		if column <= len(text)+1 {
			return at + 1 + p.offset, indent + column
		}
		column -= len(text) + 1
	}
	return node.Line + p.offset, 0
}
