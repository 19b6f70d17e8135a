package main

import (
	"bytes"
	"text/template"

	"github.com/seed-a3f26817/modelcheck/internal/reference"
)

// promela writes the reference model of the configuration for Spin: one process, one step for each choice. What the
// scheduler may do in a state is worked out once, in C, and looked up by all guards.
func promela(c *reference.Configuration) (string, error) { return withChoices(promelaText, c) }

var promelaText = template.Must(
	template.New("promela").Funcs(functions).Funcs(choices(1)).Parse(`#define P {{len .Pods}}
#define N {{len .Nodes}}
#define NONE 0
#define GONE {{gone .}}
byte loc[P];

c_decl {
	#define NODES {{len .Nodes}}
	#define PODS {{len .Pods}}
	static const int cap[NODES + 1] = {0{{range .Nodes}}, {{.Cap}}{{end}}};
	static const int req[PODS] = { {{- range .Pods}}{{.Req}}, {{end -}} };
	static const int prio[PODS] = { {{- range .Pods}}{{.Prio}}, {{end -}} };
	/* may[p] has a bit for each node whose taints the pod tolerates and whose labels it wants. */
	static const unsigned may[PODS] = { {{- range $p, $_ := .Pods}}{{may $ $p}}u, {{end -}} };

	static unsigned char known[PODS];
	static int valid;
	static unsigned binds[PODS];
	static struct set { unsigned char node; unsigned pods; } sets[1 << 12], own[1 << 12];
	static int count, owned;
	static long least[3];

	/* candidates gathers the sets of pods of node n that help pod p and do the least damage so far. */
	static void candidates(int p, int n, int from, unsigned pods, int need, long high, long sum, long number) {
		if (need <= 0) {
			long damage[3] = {high, sum, number};
			int i = 0;
			while (i < 3 && damage[i] == least[i]) i++;
			if (i < 3 && damage[i] < least[i]) {
				least[0] = high; least[1] = sum; least[2] = number;
				owned = 0; i = 3;
			}
			if (i == 3) { own[owned].node = n; own[owned].pods = pods; owned++; }
		}
		for (int q = from; q < PODS; q++)
			if (known[q] == n && prio[q] < prio[p])
				candidates(p, n, q + 1, pods | 1u << q, need - req[q], prio[q] > high ? prio[q] : high, sum + prio[q], number + 1);
	}

	static void decide(const unsigned char *at) {
		if (valid) {
			int p = 0;
			while (p < PODS && known[p] == at[p]) p++;
			if (p == PODS) return;
		}
		valid = 1;
		long used[NODES + 2] = {0}, top = -4294967296L;
		count = 0;
		for (int p = 0; p < PODS; p++) {
			known[p] = at[p];
			binds[p] = 0;
			if (at[p] >= 1 && at[p] <= NODES) used[at[p]] += req[p];
			if (at[p] == 0 && prio[p] > top) top = prio[p];
		}
		for (int p = 0; p < PODS; p++) {
			if (at[p] != 0 || prio[p] != top) continue;
			long best = -1;
			for (int n = 1; n <= NODES; n++) {
				if (!(may[p] >> n & 1) || used[n] + req[p] > cap[n]) continue;
				long score = (cap[n] - used[n] - req[p]) * 100 / cap[n];
				if (score > best) { best = score; binds[p] = 0; }
				if (score == best) binds[p] |= 1u << n;
			}
			if (binds[p]) continue;
			owned = 0;
			least[0] = least[1] = least[2] = 0x7fffffffffffffffL;
			for (int n = 1; n <= NODES; n++)
				if (may[p] >> n & 1) candidates(p, n, 0, 0, used[n] + req[p] - cap[n], 0, 0, 0);
			for (int i = 0; i < owned; i++) sets[count++] = own[i];
		}
	}

	static int binding(const unsigned char *at, int p, int n) { decide(at); return binds[p] >> n & 1; }
	static int evictions(const unsigned char *at) { decide(at); return count; }
	static void evict(unsigned char *at, int i) {
		decide(at);
		unsigned pods = sets[i].pods;
		for (int p = 0; p < PODS; p++) if (pods >> p & 1) at[p] = 0;
	}
}

active proctype placement() {
end:	do
{{- range $p, $_ := .Pods}}{{range $n := nodes $}}
	:: d_step { c_expr { (binding(now.loc, {{$p}}, {{$n}})) } -> loc[{{$p}}] = {{$n}} }
{{- end}}{{if unbinds $}}
	:: d_step { loc[{{$p}}] >= 1 && loc[{{$p}}] <= N -> loc[{{$p}}] = NONE }
{{- end}}{{if leaves $}}
	:: d_step { loc[{{$p}}] >= 1 && loc[{{$p}}] <= N -> loc[{{$p}}] = GONE }
{{- end}}{{if returns $}}
	:: d_step { loc[{{$p}}] == GONE -> loc[{{$p}}] = NONE }
{{- end}}{{end}}
{{- range $i := choices}}
	:: d_step { c_expr { (evictions(now.loc) > {{$i}}) } -> c_code { evict(now.loc, {{$i}}); } }
{{- end}}
	od
}
`),
)

// withChoices fills a template in, with the number of choices among preemptions.
func withChoices(t *template.Template, c *reference.Configuration) (string, error) {
	most, err := mostEvictions(c)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	err = template.Must(t.Clone()).Funcs(choices(max(1, most))).Execute(&text, c)
	return text.String(), err
}

func choices(most int) template.FuncMap {
	return template.FuncMap{"choices": func() int { return most }, "lastChoice": func() int { return most - 1 }}
}
