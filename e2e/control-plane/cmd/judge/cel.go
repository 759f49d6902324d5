package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"gopkg.in/inf.v0"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// celRequest asks for the results of expressions about a variable "self" of one schema.
type celRequest struct {
	// Schema is the JSONSchemaProps of "self".
	Schema json.RawMessage `json:"schema"`
	// Version is the compatibility version of the environment, such as "1.36".
	Version     string            `json:"version"`
	Expressions []string          `json:"expressions"`
	Values      []json.RawMessage `json:"values"`
}

// celAnswer is the result of one expression. At most one of Issues and Program is set.
type celAnswer struct {
	// Issues is the error of the parser or the checker.
	Issues string `json:"issues,omitempty"`
	// Program is the error of the planner, which folds constants.
	Program string `json:"program,omitempty"`
	Type    string `json:"type,omitempty"`
	// Least and Most are the estimated cost, as decimal numbers of 64 bits.
	Least string   `json:"least,omitempty"`
	Most  string   `json:"most,omitempty"`
	Runs  []celRun `json:"runs,omitempty"`
}

// celRun is the evaluation of an expression on one value.
type celRun struct {
	Value any    `json:"value"`
	Error string `json:"error,omitempty"`
	Cost  string `json:"cost"`
	// Unstable is true for a result that depends on the order of a map, which is random in Go.
	Unstable bool `json:"unstable,omitempty"`
}

// orders is the number of evaluations that look for a dependency on the order of maps.
const orders = 6

func decideCel(raw json.RawMessage) (any, error) {
	var request celRequest
	if err := json.Unmarshal(raw, &request); err != nil {
		return nil, err
	}
	scope, err := newCelScope(request.Schema, request.Version)
	if err != nil {
		return nil, err
	}
	values := make([]any, len(request.Values))
	for i, each := range request.Values {
		decoder := json.NewDecoder(strings.NewReader(string(each)))
		decoder.UseNumber()
		if err := decoder.Decode(&values[i]); err != nil {
			return nil, err
		}
		values[i] = withNumbers(values[i])
	}
	answers := make([]celAnswer, len(request.Expressions))
	for i, each := range request.Expressions {
		answers[i] = scope.answer(each, values)
	}
	return answers, nil
}

// withNumbers converts numbers as the JSON decoder of kube-apiserver does: int64 where possible, else float64.
func withNumbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		if number, err := value.Int64(); err == nil {
			return number
		}
		number, _ := value.Float64()
		return number
	case []any:
		for i, each := range value {
			value[i] = withNumbers(each)
		}
	case map[string]any:
		for name, each := range value {
			value[name] = withNumbers(each)
		}
	}
	return value
}

type celScope struct {
	structural *schema.Structural
	env        *cel.Env
	estimator  *library.CostEstimator
}

func newCelScope(raw json.RawMessage, wanted string) (*celScope, error) {
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(raw, &v1); err != nil {
		return nil, err
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil); err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return nil, err
	}
	declared := model.SchemaDeclType(structural, false)
	if declared == nil {
		return nil, fmt.Errorf("the schema has no CEL type")
	}
	compatible := environment.DefaultCompatibilityVersion()
	if wanted != "" {
		if compatible, err = version.ParseGeneric(wanted); err != nil {
			return nil, err
		}
	}
	self := declared.MaybeAssignTypeName("selfType")
	set, err := environment.MustBaseEnvSet(compatible).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable(schemacel.ScopedVarName, self.CelType())},
		DeclTypes:         []*apiservercel.DeclType{self},
	})
	if err != nil {
		return nil, err
	}
	estimator := &library.CostEstimator{SizeEstimator: &celSizes{root: declared}}
	return &celScope{structural: structural, env: set.NewExpressionsEnv(), estimator: estimator}, nil
}

func (s *celScope) answer(expression string, values []any) (answer celAnswer) {
	defer func() {
		if problem := recover(); problem != nil {
			answer = celAnswer{Program: fmt.Sprintf("panic: %v", problem)}
		}
	}()
	ast, issues := s.env.Compile(expression)
	if issues != nil {
		return celAnswer{Issues: issues.String()}
	}
	answer.Type = cel.FormatCELType(ast.OutputType())
	program, err := s.env.Program(ast,
		cel.CostLimit(celconfig.PerCallLimit),
		cel.CostTracking(s.estimator),
		cel.InterruptCheckFrequency(celconfig.CheckFrequency),
	)
	if err != nil {
		answer.Program = err.Error()
		return answer
	}
	estimate, err := s.env.EstimateCost(ast, s.estimator)
	if err != nil {
		answer.Program = err.Error()
		return answer
	}
	answer.Least = strconv.FormatUint(estimate.Min, 10)
	answer.Most = strconv.FormatUint(estimate.Max, 10)
	for _, value := range values {
		run := s.run(program, value)
		// An address in a message differs from process to process.
		run.Unstable = strings.Contains(run.Error, " 0x")
		if strings.ContainsAny(expression, ".{") {
			first := jsonOf(run)
			for i := 1; i < orders && !run.Unstable; i++ {
				run.Unstable = jsonOf(s.run(program, value)) != first
			}
		}
		answer.Runs = append(answer.Runs, run)
	}
	return answer
}

func (s *celScope) run(program cel.Program, value any) celRun {
	self := schemacel.UnstructuredToVal(value, s.structural)
	result, details, err := program.Eval(map[string]any{schemacel.ScopedVarName: self})
	run := celRun{}
	if cost := details.ActualCost(); cost != nil {
		run.Cost = strconv.FormatUint(*cost, 10)
	}
	if err != nil {
		run.Error = err.Error()
	} else {
		run.Value = shownValue(result)
	}
	return run
}

// celSizes is the size estimator of the schema, as in apiextensions-apiserver, which does not export it.
type celSizes struct {
	root *apiservercel.DeclType
}

func (c *celSizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	if len(element.Path()) == 0 {
		return nil
	}
	at := c.root
	for _, name := range element.Path()[1:] {
		switch name {
		case "@items", "@values":
			at = at.ElemType
		case "@keys":
			at = at.KeyType
		default:
			field, ok := at.Fields[name]
			if !ok {
				return nil
			}
			at = field.Type
		}
		if at == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(at.MaxElements)}
}

func (c *celSizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// shownValue writes a value with its type, so that 1, 1u and 1.0 differ.
func shownValue(value ref.Val) any {
	switch value := value.(type) {
	case types.Bool:
		return bool(value)
	case types.Null:
		return nil
	case types.Int:
		return tagged("int", strconv.FormatInt(int64(value), 10))
	case types.Uint:
		return tagged("uint", strconv.FormatUint(uint64(value), 10))
	case types.Double:
		return tagged("double", shownDouble(float64(value)))
	case types.String:
		if !utf8.ValidString(string(value)) {
			return tagged("string", base64.StdEncoding.EncodeToString([]byte(value)))
		}
		return string(value)
	case types.Bytes:
		return tagged("bytes", base64.StdEncoding.EncodeToString([]byte(value)))
	case types.Duration:
		return tagged("duration", strconv.FormatInt(int64(value.Duration), 10))
	case types.Timestamp:
		return tagged("timestamp", value.Format(time.RFC3339Nano))
	case *types.Type:
		return tagged("type", value.TypeName())
	case *types.Optional:
		if !value.HasValue() {
			return tagged("optional")
		}
		return tagged("optional", shownValue(value.GetValue()))
	case *apiservercel.Quantity:
		return tagged("quantity", nanosOf(value))
	case apiservercel.Quantity:
		return tagged("quantity", nanosOf(&value))
	case apiservercel.IP:
		return tagged("ip", value.Addr.String())
	case apiservercel.CIDR:
		return tagged("cidr", value.Prefix.String())
	case apiservercel.Semver:
		return tagged("semver", withoutBuild(value))
	case *apiservercel.Semver:
		return tagged("semver", withoutBuild(*value))
	case apiservercel.URL:
		return tagged("url", value.URL.String())
	case apiservercel.Format:
		return tagged("format", strings.ToLower(value.Name))
	case *apiservercel.Format:
		return tagged("format", strings.ToLower(value.Name))
	case traits.Lister:
		items := []any{}
		for it := value.Iterator(); it.HasNext() == types.True; {
			items = append(items, shownValue(it.Next()))
		}
		return tagged("list", items...)
	case traits.Mapper:
		entries := [][2]any{}
		for it := value.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			if key == nil {
				continue
			}
			entries = append(entries, [2]any{shownValue(key), shownValue(value.Get(key))})
		}
		sort.Slice(entries, func(i, j int) bool { return jsonOf(entries[i][0]) < jsonOf(entries[j][0]) })
		all := make([]any, len(entries))
		for i, each := range entries {
			all[i] = each
		}
		return tagged("map", all...)
	case *types.Err:
		return tagged("error", value.Error())
	}
	return tagged("other", fmt.Sprintf("%T %v", value, value))
}

func nanosOf(quantity *apiservercel.Quantity) string {
	return new(inf.Dec).Round(quantity.AsDec(), 9, inf.RoundDown).UnscaledBig().String()
}

func withoutBuild(value apiservercel.Semver) string {
	value.Version.Build = nil
	return value.Version.String()
}

func jsonOf(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

func tagged(kind string, parts ...any) map[string]any {
	if parts == nil {
		parts = []any{}
	}
	return map[string]any{kind: parts}
}

func shownDouble(value float64) string {
	if math.IsNaN(value) {
		return "NaN"
	}
	return strconv.FormatFloat(value, 'e', -1, 64)
}
