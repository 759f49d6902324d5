// Evaluates queries over scrapes as Prometheus does: reads the scrapes and the queries as JSON from the standard input,
// and writes the points of each query.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
)

type scrape struct {
	// Milliseconds since 1970.
	At   int64  `json:"at"`
	Text string `json:"text"`
}

type input struct {
	Scrapes []scrape `json:"scrapes"`
	// The labels that Prometheus adds to each series.
	Labels  map[string]string `json:"labels"`
	Queries []string          `json:"queries"`
	// Milliseconds between two points.
	Step int64 `json:"step"`
}

type series struct {
	Labels map[string]string `json:"labels"`
	// Pairs of milliseconds since 1970 and a value. Values that JSON cannot have are left out.
	Points [][2]float64 `json:"points"`
}

func main() {
	results, err := run(os.Stdin)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(results)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader) ([][]series, error) {
	var read input
	if err := json.NewDecoder(in).Decode(&read); err != nil {
		return nil, err
	}
	if len(read.Scrapes) == 0 || read.Step <= 0 {
		return nil, errors.New("give scrapes and a step")
	}
	all, err := store(read)
	if err != nil {
		return nil, err
	}
	engine := promql.NewEngine(promql.EngineOpts{
		Logger:        slog.New(slog.DiscardHandler),
		MaxSamples:    50_000_000,
		Timeout:       time.Minute,
		LookbackDelta: 5 * time.Minute,
		Parser:        parser.NewParser(parser.Options{}),
	})
	first := time.UnixMilli(read.Scrapes[0].At)
	last := time.UnixMilli(read.Scrapes[len(read.Scrapes)-1].At)
	results := make([][]series, 0, len(read.Queries))
	for _, text := range read.Queries {
		step := time.Duration(read.Step) * time.Millisecond
		query, err := engine.NewRangeQuery(context.Background(), all, nil, text, first, last, step)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		result := query.Exec(context.Background())
		matrix, err := result.Matrix()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		results = append(results, seriesOf(matrix))
		query.Close()
	}
	return results, nil
}

func seriesOf(matrix promql.Matrix) []series {
	all := []series{}
	for _, one := range matrix {
		points := [][2]float64{}
		for _, point := range one.Floats {
			if !math.IsNaN(point.F) && !math.IsInf(point.F, 0) {
				points = append(points, [2]float64{float64(point.T), point.F})
			}
		}
		all = append(all, series{Labels: one.Metric.Map(), Points: points})
	}
	return all
}

// memory holds the samples of the scrapes.
type memory struct {
	order  []uint64
	series map[uint64]*promql.Series
	// The series of the last scrape.
	present map[uint64]bool
}

func store(read input) (*memory, error) {
	all := &memory{series: map[uint64]*promql.Series{}}
	for _, one := range read.Scrapes {
		before := all.present
		all.present = map[uint64]bool{}
		samples, err := textparse.New([]byte(one.Text), "text/plain", labels.NewSymbolTable(), textparse.ParserOptions{})
		if err != nil {
			return nil, err
		}
		for {
			entry, err := samples.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, err
			}
			if entry != textparse.EntrySeries {
				continue
			}
			var own labels.Labels
			samples.Labels(&own)
			_, _, number := samples.Series()
			all.add(own, read.Labels, promql.FPoint{T: one.At, F: number})
		}
		all.end(before, one.At)
	}
	return all, nil
}

func (all *memory) add(own labels.Labels, added map[string]string, point promql.FPoint) {
	builder := labels.NewBuilder(own)
	for name, text := range added {
		builder.Set(name, text)
	}
	whole := builder.Labels()
	hash := whole.Hash()
	found, ok := all.series[hash]
	if !ok {
		found = &promql.Series{Metric: whole}
		all.series[hash] = found
		all.order = append(all.order, hash)
	}
	found.Floats = append(found.Floats, point)
	all.present[hash] = true
}

// end marks the series that a scrape no longer has, as Prometheus does.
func (all *memory) end(before map[uint64]bool, at int64) {
	stale := math.Float64frombits(value.StaleNaN)
	for hash := range before {
		if !all.present[hash] {
			found := all.series[hash]
			found.Floats = append(found.Floats, promql.FPoint{T: at, F: stale})
		}
	}
}

// Querier is the only method of storage.Queryable.
func (all *memory) Querier(mint, maxt int64) (storage.Querier, error) {
	return &storage.MockQuerier{
		SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
			found := &set{}
			for _, hash := range all.order {
				one := all.series[hash]
				if !matches(one.Metric, matchers) {
					continue
				}
				within := promql.Series{Metric: one.Metric}
				for _, point := range one.Floats {
					if point.T >= mint && point.T <= maxt {
						within.Floats = append(within.Floats, point)
					}
				}
				found.all = append(found.all, promql.NewStorageSeries(within))
			}
			return found
		},
	}, nil
}

func matches(all labels.Labels, matchers []*labels.Matcher) bool {
	for _, matcher := range matchers {
		if !matcher.Matches(all.Get(matcher.Name)) {
			return false
		}
	}
	return true
}

type set struct {
	all []storage.Series
	at  int
}

func (s *set) Next() bool {
	s.at++
	return s.at <= len(s.all)
}

func (s *set) At() storage.Series { return s.all[s.at-1] }

func (*set) Err() error { return nil }

func (*set) Warnings() annotations.Annotations { return nil }
