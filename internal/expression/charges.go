package expression

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/operators"
	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// charge is what a call takes beyond the one unit that every step costs.
type charge struct{ cost, bytes uint64 }

// What values take, in bytes: any value, and an element of a list.
const (
	perValue   = 64
	perElement = 32
)

// perNew is what an element of a list that was not there before costs: to loop over a list takes CEL a time that grows
// with the square of its length, as it looks for what it counted through all that it counted in the loop. Lists of some
// ten thousand elements take less than a second.
const perNew = 200

// objectSize is the number of values that an object of Kubernetes counts as.
const objectSize = 200

// constant are the functions that take the same whatever their arguments are, or no more than CEL charges for.
var constant = strings.Fields(`!_ -_ @not_strictly_false __not_strictly_false__ _%_ _&&_ _*_ _-_ _/_ _<=_ _<_ _>=_
	_>_ _?._ _?_:_ _[?_] _[_] _||_ add asApproximateFloat asInteger bool compareTo contains double duration dyn endsWith
	family first format.byte format.date format.datetime format.dns1035Label format.dns1035LabelPrefix
	format.dns1123Label format.dns1123LabelPrefix format.dns1123Subdomain format.dns1123SubdomainPrefix
	format.labelValue format.named format.qualifiedName format.uri format.uuid getDate getDayOfMonth getDayOfWeek
	getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds hasValue int isGlobalUnicast
	isGreaterThan isInteger isLessThan isLinkLocalMulticast isLinkLocalUnicast isLoopback isUnspecified last major
	masked minor optional.none optional.of optional.ofNonZeroValue optional.unwrap or orValue patch prefixLength sign
	size startsWith sub type uint unwrapOpt value`)

// linear are the functions that read their arguments once, and make no more than a few copies of them.
var linear = strings.Fields(`@sortByAssociatedKeys bytes charAt cidr containsCIDR containsIP getEscapedPath getHost
	getHostname getPort getQuery getScheme ip ip.isCanonical isCIDR isIP isSemver isSorted isURL lowerAscii max min on
	requests reverse semver slice sort string strings.quote substring sum timestamp trim upperAscii url validate`)

// charges are the functions that take more for larger arguments, by name. A function that is neither here nor constant
// cannot be used: nobody knows what it takes.
var charges = func() map[string]func(args []ref.Val, left uint64) charge {
	all := map[string]func(args []ref.Val, left uint64) charge{
		operators.Add:       concatenated,
		operators.Equals:    weighed,
		operators.NotEquals: weighed,
		operators.In:        weighed,
		operators.OldIn:     weighed,
		"indexOf":           searched,
		"lastIndexOf":       searched,
		"lists.range":       ranged,
		"replace":           replaced,
		"split":             split,
		"join":              joined,
		"format":            formatted,
		"find":              matched,
		"findAll":           foundAll,
		"matches":           matched,
		"distinct":          crossed,
		"sets.contains":     crossed,
		"sets.equivalent":   crossed,
		"sets.intersects":   crossed,
		"flatten":           flattened,
		"cel.@mapInsert":    inserted,
		"quantity":          parsed,
		"isQuantity":        parsed,
	}
	for _, name := range linear {
		all[name] = read
	}
	return all
}()

// length is how many bytes a text has, or how many elements a list or map; 0 of other values.
func length(v ref.Val) uint64 {
	switch value := v.(type) {
	case celtypes.String:
		return uint64(len(value))
	case celtypes.Bytes:
		return uint64(len(value))
	case traits.Sizer:
		if n, ok := value.Size().(celtypes.Int); ok {
			return uint64(n)
		}
	}
	return 0
}

func text(args []ref.Val, i int) string {
	if i >= len(args) {
		return ""
	}
	s, _ := args[i].(celtypes.String) // anything else is refused by the function
	return string(s)
}

// whole counts the values that a value is made of, a text as one for each 16 bytes, until there are more than most.
func whole(v ref.Val, most uint64) uint64 {
	switch value := v.(type) {
	case celtypes.String, celtypes.Bytes:
		return 1 + length(value)/16
	case *objectValue:
		return objectSize
	case traits.Lister:
		n := uint64(1)
		for i := value.Iterator(); n <= most && i.HasNext() == celtypes.True; {
			n += whole(i.Next(), most-n)
		}
		return n
	case traits.Mapper:
		n := uint64(1)
		for i := value.Iterator(); n <= most && i.HasNext() == celtypes.True; {
			key := i.Next()
			n += whole(key, most-n)
			if n <= most {
				n += whole(value.Get(key), most-n)
			}
		}
		return n
	case *celtypes.Optional:
		if value.HasValue() {
			return 1 + whole(value.GetValue(), most)
		}
	}
	return 1
}

// product is a times b, or the largest number if that is more.
func product(a, b uint64) uint64 {
	if a != 0 && b > math.MaxUint64/a {
		return math.MaxUint64
	}
	return a * b
}

func read(args []ref.Val, _ uint64) charge {
	n := uint64(0)
	for _, arg := range args {
		switch arg.(type) {
		case celtypes.String, celtypes.Bytes:
			n += 5 * length(arg)
		case traits.Lister:
			n += perElement * length(arg)
		}
	}
	return charge{cost: n / perElement, bytes: perValue + n}
}

// weighed is for what may look at every value of both arguments.
func weighed(args []ref.Val, left uint64) charge {
	for _, arg := range args {
		switch arg.(type) {
		case traits.Lister, traits.Mapper:
			n := uint64(0)
			for _, arg := range args {
				n += whole(arg, left)
			}
			return charge{cost: n}
		}
	}
	return charge{}
}

// crossed is for what compares each element with each.
func crossed(args []ref.Val, left uint64) charge {
	n := uint64(1)
	for i := range 2 {
		n = product(n, whole(args[min(i, len(args)-1)], left))
	}
	return charge{cost: n, bytes: perElement * length(args[0])}
}

func searched(args []ref.Val, left uint64) charge {
	if _, isList := args[0].(traits.Lister); isList {
		return weighed(args[:2], left)
	}
	n := length(args[0])
	return charge{cost: product(n, 1+uint64(len(text(args, 1)))) / 16, bytes: 8 * n}
}

// concatenated: what CEL joins lists to is a tree of lists, which is read as slowly as it is deep. So it is charged for
// as if it were copied, unless it is the list that a macro makes, to which elements are added.
func concatenated(args []ref.Val, _ uint64) charge {
	switch args[0].(type) {
	case celtypes.String, celtypes.Bytes:
		return charge{bytes: length(args[0]) + length(args[1])}
	case traits.MutableLister:
		return charge{bytes: perElement * (1 + length(args[1]))}
	case traits.Lister:
		n := length(args[0]) + length(args[1])
		return charge{cost: n, bytes: perValue + perElement/2*n}
	}
	return charge{}
}

func inserted(args []ref.Val, _ uint64) charge {
	if _, mutable := args[0].(traits.MutableMapper); mutable {
		return charge{bytes: 2 * perElement}
	}
	return charge{bytes: perValue + 2*perElement*(1+length(args[0]))}
}

func ranged(args []ref.Val, _ uint64) charge {
	n, _ := args[0].(celtypes.Int)
	return charge{cost: product(perNew, uint64(max(0, n))), bytes: product(perElement, uint64(max(0, n)))}
}

func replaced(args []ref.Val, _ uint64) charge {
	s, old, with := text(args, 0), text(args, 1), text(args, 2)
	n := uint64(strings.Count(s, old))
	if len(args) > 3 {
		if most, ok := args[3].(celtypes.Int); ok && most >= 0 {
			n = min(n, uint64(most))
		}
	}
	return charge{bytes: uint64(len(s)) + product(n, uint64(len(with)))}
}

func split(args []ref.Val, _ uint64) charge {
	s, by := text(args, 0), text(args, 1)
	n := 1 + uint64(strings.Count(s, by))
	return charge{cost: product(perNew, n), bytes: product(perElement, n)}
}

func joined(args []ref.Val, _ uint64) charge {
	n := uint64(0)
	if list, ok := args[0].(traits.Lister); ok {
		for i := list.Iterator(); i.HasNext() == celtypes.True && n <= MaxBytes; {
			n += length(i.Next()) + uint64(len(text(args, 1)))
		}
	}
	return charge{bytes: 2 * n}
}

// precision is how many digits a text is to have.
var precision = regexp.MustCompile(`%\.([0-9]+)`)

func formatted(args []ref.Val, left uint64) charge {
	format := text(args, 0)
	n := product(16, whole(args[1], left)) * 4
	for _, digits := range precision.FindAllStringSubmatch(format, -1) {
		p, err := strconv.ParseUint(digits[1], 10, 32)
		if err != nil {
			p = math.MaxUint32
		}
		n += p + 400 // digits before the point
	}
	return charge{cost: n / 16, bytes: 8*uint64(len(format)) + n}
}

// matched: a regular expression is tried at every byte, with as many states as it is long.
func matched(args []ref.Val, _ uint64) charge {
	return charge{cost: product(1+length(args[0]), 1+length(args[1])) / 40}
}

// foundAll: what it returns may be as many texts as there are bytes.
func foundAll(args []ref.Val, left uint64) charge {
	n := 1 + length(args[0])
	return charge{cost: matched(args, left).cost + perNew/10*n, bytes: 2 * perElement * n}
}

func flattened(args []ref.Val, left uint64) charge {
	n := whole(args[0], left)
	return charge{cost: product(perNew/10, n), bytes: product(perElement, n)}
}

// parsed is for numbers of any length.
func parsed(args []ref.Val, _ uint64) charge {
	n := length(args[0])
	return charge{cost: product(n, n) / 64, bytes: perValue + 4*n}
}
