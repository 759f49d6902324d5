package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// byController is the index over the controller of an object.
const byController = "controller"

// firstReconciles counts the objects that were reconciled at least once.
type firstReconciles struct {
	mutex sync.Mutex
	seen  map[string]bool
	runs  int
	want  int
	done  chan struct{}
}

func newFirstReconciles(want int) *firstReconciles {
	return &firstReconciles{seen: map[string]bool{}, want: want, done: make(chan struct{})}
}

func (f *firstReconciles) add(key string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.runs++
	if f.seen[key] {
		return
	}
	f.seen[key] = true
	if len(f.seen) == f.want {
		close(f.done)
	}
}

// runOwners measures a controller from its start until it has reconciled every owner once. Each owner
// has a child and is in its desired state, as after a restart.
func runOwners(ctx context.Context, job *job) error {
	var requests atomic.Int64
	job.config.Wrap(func(inner http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			requests.Add(1)
			return inner.RoundTrip(request)
		})
	})
	manager, err := quietManager(job)
	if err != nil {
		return err
	}
	err = manager.GetFieldIndexer().IndexField(ctx, thing(1), byController, func(object client.Object) []string {
		if owner := metav1.GetControllerOf(object); owner != nil {
			return []string{owner.Name}
		}
		return nil
	})
	if err != nil {
		return err
	}
	first := newFirstReconciles(job.options.count)
	err = ctrl.NewControllerManagedBy(manager).Named("owners").For(thing(0)).Owns(thing(1)).
		Complete(reconcile.Func(func(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
			owner, children := thing(0), things(1)
			if err := manager.GetCache().Get(ctx, request.NamespacedName, owner); err != nil {
				return ctrl.Result{}, err
			}
			byOwner := client.MatchingFields{byController: owner.GetName()}
			if err := manager.GetCache().List(ctx, children, client.InNamespace(request.Namespace), byOwner); err != nil {
				return ctrl.Result{}, err
			}
			if len(children.Items) != 1 {
				return ctrl.Result{}, fmt.Errorf("saw %d children of %s", len(children.Items), request.Name)
			}
			first.add(request.Name)
			return ctrl.Result{}, nil
		}))
	if err != nil {
		return err
	}
	cpuBefore, start := cpuSeconds(), time.Now()
	if err := started(ctx, manager, first.done); err != nil {
		return err
	}
	elapsed, cpu := time.Since(start), cpuSeconds()-cpuBefore
	peak, err := peakMegabytes()
	if err != nil {
		return err
	}
	first.mutex.Lock()
	defer first.mutex.Unlock()
	job.report.write(fields{
		"seconds": elapsed.Seconds(), "cpu": cpu, "peakRss": peak,
		"requests": float64(requests.Load()), "reconciles": float64(first.runs),
	})
	return nil
}

// runIdle measures the processor time of an operator whose objects do not change, with a controller for
// each kind.
func runIdle(ctx context.Context, job *job) error {
	manager, err := quietManager(job)
	if err != nil {
		return err
	}
	first := newFirstReconciles(job.options.count * job.options.kinds)
	for kind := range job.options.kinds {
		name := fmt.Sprintf("idle-%d", kind)
		err := ctrl.NewControllerManagedBy(manager).Named(name).For(thing(kind)).
			Complete(reconcile.Func(func(_ context.Context, request ctrl.Request) (ctrl.Result, error) {
				first.add(name + "/" + request.Name)
				return ctrl.Result{}, nil
			}))
		if err != nil {
			return err
		}
	}
	if err := started(ctx, manager, first.done); err != nil {
		return err
	}
	time.Sleep(idleSettle)
	cpuBefore, start := cpuSeconds(), time.Now()
	time.Sleep(time.Duration(job.options.seconds) * time.Second)
	cpu, minutes := cpuSeconds()-cpuBefore, time.Since(start).Minutes()
	job.report.write(fields{"cpu": cpu * 1000 / minutes})
	return nil
}

// idleSettle is the time after which the work of the start has ended.
const idleSettle = 3 * time.Second

// runWaited measures the time from the start of a controller until it first reconciles an object that
// does not change, while others change all the time.
func runWaited(ctx context.Context, job *job) error {
	manager, err := quietManager(job)
	if err != nil {
		return err
	}
	waiting := fmt.Sprintf("thing-%d", job.options.count-1)
	reached, all := make(chan struct{}), newFirstReconciles(job.options.count)
	var once sync.Once
	err = ctrl.NewControllerManagedBy(manager).Named("waited").For(thing(0)).
		WithOptions(controller.Options{MaxConcurrentReconciles: job.options.workers}).
		Complete(reconcile.Func(func(_ context.Context, request ctrl.Request) (ctrl.Result, error) {
			if request.Name == waiting {
				once.Do(func() { close(reached) })
			}
			time.Sleep(reconcileDuration)
			all.add(request.Name)
			return ctrl.Result{}, nil
		}))
	if err != nil {
		return err
	}
	job.report.write(fields{"ask": fields{"name": "churn", "perSecond": job.options.perSecond, "among": job.options.queued}})
	start := time.Now()
	if err := started(ctx, manager, reached); err != nil {
		return err
	}
	waited := time.Since(start).Seconds()
	<-all.done
	job.report.write(fields{"waiting": waited, "all": time.Since(start).Seconds()})
	return nil
}

// reconcileDuration is the time that a reconcile waits for its responses.
const reconcileDuration = 4 * time.Millisecond

// started starts the manager, and returns when the channel is closed or the manager has failed.
func started(ctx context.Context, manager ctrl.Manager, done <-chan struct{}) error {
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	select {
	case <-done:
		return nil
	case err := <-ended:
		return fmt.Errorf("the manager ended: %w", err)
	}
}

func quietManager(job *job) (ctrl.Manager, error) {
	ctrl.SetLogger(logr.Discard())
	return newManager(job)
}

func thing(kind int) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(thingKind(kind, ""))
	return object
}

func things(kind int) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(thingKind(kind, "List"))
	return list
}

func thingKind(kind int, suffix string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "bench.example.com", Version: "v1", Kind: fmt.Sprintf("Thing%d%s", kind, suffix)}
}
