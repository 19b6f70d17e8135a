package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/model"
)

// mostSteps bounds the path of a question to the server.
const mostSteps = 1000

// Server serves the page of a run, and answers its questions:
//
//	GET /              the page
//	GET /api/walk      the state that a path leads to, a Walk
//	GET /api/decision  where a pod should go in that state, a Decision
//
// Both take scenario, the number of one of Data.Scenarios, start, the name of a state to begin with, and path, the
// numbers of the choices from there, such as 0.4.1; a decision takes pod, its namespace and name. What is wrong
// with a question is answered as {"error": "..."}. It keeps nothing on behalf of who asks, and answers only where
// it is addressed as this machine itself.
type Server struct {
	page []byte
	// policy is that of the page, and says who may frame it, which a page itself cannot.
	policy string
	mux    *http.ServeMux

	mu   sync.Mutex // for the tour
	tour *tour
}

// NewServer prepares the page. newDecider gives kube-scheduler.
func NewServer(run *report.Run, newDecider func() (decisions.Decider, error)) (*Server, error) {
	t, err := newTour(run, newDecider)
	if err != nil {
		return nil, err
	}
	data, err := newData(t, true)
	if err != nil {
		t.close()
		return nil, err
	}
	var page bytes.Buffer
	if err := write(&page, data); err != nil {
		t.close()
		return nil, err
	}
	s := &Server{page: page.Bytes(), mux: http.NewServeMux(), tour: t,
		policy: policy(connections(true), styles, scripts) + "; frame-ancestors 'none'"}
	s.mux.HandleFunc("GET /{$}", s.index)
	s.mux.HandleFunc("GET /api/walk", s.walk)
	s.mux.HandleFunc("GET /api/decision", s.decision)
	return s, nil
}

// Close ends kube-scheduler. No question must be under way.
func (s *Server) Close() { s.tour.close() }

// ServeHTTP answers, unless the request was meant for another name: a page from elsewhere could have given its own
// name this address.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Content-Security-Policy", s.policy)
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	if !own(r.Host) {
		respond(w, http.StatusForbidden,
			refusal{fmt.Sprintf("host %q is not this machine: ask for 127.0.0.1 or localhost", r.Host)})
		return
	}
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close") // so that nobody reads it
		respond(w, http.StatusRequestEntityTooLarge, refusal{"a question has no body: leave it out"})
		return
	}
	s.mux.ServeHTTP(w, r)
}

// own reports whether a Host header names this machine itself, at any port.
func own(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	return name == "localhost" || name == "127.0.0.1" || strings.Trim(name, "[]") == "::1"
}

func (s *Server) index(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(s.page) // who has gone away needs no answer
}

// refusal says what is wrong with a question.
type refusal struct {
	Error string `json:"error"`
}

func (s *Server) walk(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, way, _, err := s.find(r)
	if err != nil {
		respond(w, http.StatusBadRequest, refusal{err.Error()})
		return
	}
	respond(w, http.StatusOK, way)
}

func (s *Server) decision(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	scenario, _, at, err := s.find(r)
	if err == nil {
		var d *Decision
		if d, err = s.tour.decide(scenario, at, r.URL.Query().Get("pod")); err == nil {
			respond(w, http.StatusOK, d)
			return
		}
	}
	respond(w, http.StatusBadRequest, refusal{err.Error()})
}

// find goes where the question is about.
func (s *Server) find(r *http.Request) (scenario int, way *Walk, at *model.Arrangement, err error) {
	query := r.URL.Query()
	scenarios := s.tour.run.Result.Scenarios
	if scenario, err = strconv.Atoi(query.Get("scenario")); err != nil || scenario < 0 || scenario >= len(scenarios) {
		return 0, nil, nil, fmt.Errorf("scenario is %q: it must be a number from 0 to %d", query.Get("scenario"),
			len(scenarios)-1)
	}
	path, err := steps(query.Get("path"))
	if err != nil {
		return 0, nil, nil, err
	}
	way, at, err = s.tour.walk(scenario, query.Get("start"), path)
	return scenario, way, at, err
}

// steps reads a path.
func steps(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	numbers := strings.Split(text, ".")
	if len(numbers) > mostSteps {
		return nil, fmt.Errorf("path has %d steps: it must have at most %d", len(numbers), mostSteps)
	}
	var path []int
	for _, number := range numbers {
		index, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("path has %q: it must be numbers of choices with dots between them, such as 0.4.1",
				number)
		}
		path = append(path, index)
	}
	return path, nil
}

// respond writes a value as JSON.
func respond(w http.ResponseWriter, code int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("page: a %T cannot be written: %v", value, err)) // our own types always can
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(text) // who has gone away needs no answer
}
