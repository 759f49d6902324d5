// Checks the rules of a PrometheusRule as `promtool check rules` does: reads the groups from the standard input, and
// writes each problem as a line.
package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	logger := slog.New(slog.DiscardHandler)
	promql := parser.NewParser(parser.Options{})
	groups, problems := rulefmt.Parse(text, false, model.LegacyValidation, promql, logger)
	for _, problem := range problems {
		fmt.Println(problem)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
	rules := 0
	for _, group := range groups.Groups {
		rules += len(group.Rules)
	}
	fmt.Printf("%d rules\n", rules)
}
