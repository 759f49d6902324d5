// Command peers runs the stock parts of client-go and controller-runtime against one API server and
// prints their events and calls as JSON lines, so that a test can compare servers. A line on standard
// input is a request ("state"); the end of the input ends the scenario gracefully.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// job contains the inputs and the report of a scenario.
type job struct {
	config    *rest.Config
	namespace string
	options   options
	report    *report
	asked     <-chan string
}

type options struct {
	mode      string
	labels    string
	fields    string
	lease     string
	identity  string
	count     int
	kinds     int
	seconds   int
	queued    int
	workers   int
	perSecond int
	pageSize  int64
}

var scenarios = map[string]func(context.Context, *job) error{
	"informer":    runInformer,
	"cache":       runCache,
	"watch":       runWatch,
	"pager":       runPager,
	"controller":  runController,
	"priority":    runPriority,
	"election":    runElection,
	"recorder":    runRecorder,
	"crud":        runCrud,
	"pods":        runPods,
	"dynamic":     runDynamic,
	"scale":       runScale,
	"negotiation": runNegotiation,
	"reviews":     runReviews,
	"discovery":   runDiscovery,
	"measure":     runMeasure,
	"burst":       runBurst,
	"latency":     runLatency,
	"queue":       runQueue,
	"webhook":     runWebhook,
	"owners":      runOwners,
	"idle":        runIdle,
	"waited":      runWaited,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(words []string) error {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	klog.InitFlags(flags)
	kubeconfig := flags.String("kubeconfig", "", "the file that says which server")
	server := flags.String("server", "", "the address of a server without authentication")
	job := &job{report: newReport(os.Stdout)}
	flags.StringVar(&job.namespace, "namespace", "default", "where the scenario works")
	flags.StringVar(&job.options.mode, "mode", "json", "json, protobuf, dynamic or metadata; for a queue cycle, fill, workers or delayed, each also after plain-")
	flags.StringVar(&job.options.labels, "labels", "", "a label selector for what is watched")
	flags.StringVar(&job.options.fields, "fields", "", "a field selector for what is watched")
	flags.StringVar(&job.options.lease, "lease", "", "the Lease of a controller with replicas")
	flags.StringVar(&job.options.identity, "identity", "", "what the lines of this replica say")
	flags.IntVar(&job.options.count, "count", 0, "how many objects there are")
	flags.IntVar(&job.options.kinds, "kinds", 0, "how many kinds an idle operator has")
	flags.IntVar(&job.options.seconds, "seconds", 0, "for how many seconds an idle operator is measured")
	flags.IntVar(&job.options.workers, "workers", 0, "how many workers the measured queue has")
	flags.IntVar(&job.options.queued, "queued", 0, "how many items the measured queue has")
	flags.IntVar(&job.options.perSecond, "per-second", 0, "the rate of measured events")
	flags.Int64Var(&job.options.pageSize, "page-size", 500, "how many items a page has")
	if err := flags.Parse(words); err != nil {
		return err
	}
	scenario, known := scenarios[flags.Arg(0)]
	if !known {
		return fmt.Errorf("no scenario %q; there are: %s", flags.Arg(0), strings.Join(names(), ", "))
	}
	// The scenario of a queue needs no server.
	if *kubeconfig != "" || *server != "" {
		config, err := clientcmd.BuildConfigFromFlags(*server, *kubeconfig)
		if err != nil {
			return err
		}
		// The rate limits of the client are not part of the comparison.
		config.QPS, config.Burst = -1, -1
		job.config = config
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	job.asked = readLines(os.Stdin, cancel)
	return scenario(ctx, job)
}

func names() []string {
	all := make([]string, 0, len(scenarios))
	for name := range scenarios {
		all = append(all, name)
	}
	sort.Strings(all)
	return all
}
