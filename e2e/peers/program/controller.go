package main

import (
	"context"
	"fmt"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	coreconfig "k8s.io/client-go/applyconfigurations/core/v1"
	metaconfig "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	finalizer    = "peers.keelson.dev/finalizer"
	fieldManager = "peers"
	ownerLabel   = "widget"
)

// runController runs a manager of controller-runtime with one controller: Widgets that own
// ConfigMaps. With a Lease it is one of several replicas.
func runController(ctx context.Context, job *job) error {
	ctrl.SetLogger(logr.Discard())
	manager, err := newManager(job)
	if err != nil {
		return err
	}
	on := true
	err = ctrl.NewControllerManagedBy(manager).
		For(&Widget{}).
		Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{UsePriorityQueue: &on, MaxConcurrentReconciles: 2}).
		Complete(&reconciler{client: manager.GetClient(), job: job})
	if err != nil {
		return err
	}
	go func() {
		<-manager.Elected()
		job.report.write(fields{"leading": job.options.identity})
	}()
	go ignoreAsked(job)
	err = manager.Start(ctx)
	job.report.write(fields{"ended": true, "identity": job.options.identity})
	return err
}

func newManager(job *job) (ctrl.Manager, error) {
	kinds, err := newScheme()
	if err != nil {
		return nil, err
	}
	duration, deadline, period := leaseDuration, renewDeadline, retryPeriod
	return ctrl.NewManager(job.config, ctrl.Options{
		Scheme:                        kinds,
		Cache:                         cache.Options{DefaultNamespaces: map[string]cache.Config{job.namespace: {}}},
		Metrics:                       server.Options{BindAddress: "0"},
		LeaderElection:                job.options.lease != "",
		LeaderElectionID:              job.options.lease,
		LeaderElectionNamespace:       job.namespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &duration,
		RenewDeadline:                 &deadline,
		RetryPeriod:                   &period,
	})
}

// newScheme knows the built-in kinds and Widgets.
func newScheme() (*runtime.Scheme, error) {
	kinds := runtime.NewScheme()
	if err := scheme.AddToScheme(kinds); err != nil {
		return nil, err
	}
	return kinds, addWidgets(kinds)
}

type reconciler struct {
	client client.Client
	job    *job
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	widget := &Widget{}
	if err := r.client.Get(ctx, request.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if widget.DeletionTimestamp != nil {
		return ctrl.Result{}, r.finalize(ctx, widget)
	}
	before := widget.deepCopy()
	if controllerutil.AddFinalizer(widget, finalizer) {
		return ctrl.Result{}, r.client.Patch(ctx, widget, client.MergeFrom(before))
	}
	if err := r.applyCopies(ctx, widget); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.deleteSurplus(ctx, widget); err != nil {
		return ctrl.Result{}, err
	}
	r.report("reconciled", widget)
	return ctrl.Result{}, r.patchStatus(ctx, widget)
}

func (r *reconciler) finalize(ctx context.Context, widget *Widget) error {
	before := widget.deepCopy()
	if !controllerutil.RemoveFinalizer(widget, finalizer) {
		return nil
	}
	// Deletes the ConfigMaps itself: a garbage collector that has not discovered Widgets yet would keep them.
	copies := []client.DeleteAllOfOption{client.InNamespace(widget.Namespace), client.MatchingLabels{ownerLabel: widget.Name}}
	if err := r.client.DeleteAllOf(ctx, &corev1.ConfigMap{}, copies...); err != nil {
		return err
	}
	r.report("finalized", widget)
	return client.IgnoreNotFound(r.client.Patch(ctx, widget, client.MergeFrom(before)))
}

func (r *reconciler) applyCopies(ctx context.Context, widget *Widget) error {
	for index := range widget.Spec.Copies {
		owner := metaconfig.OwnerReference().
			WithAPIVersion(widgets.String()).WithKind("Widget").
			WithName(widget.Name).WithUID(widget.UID).
			WithController(true).WithBlockOwnerDeletion(true)
		wanted := coreconfig.ConfigMap(copyName(widget, index), widget.Namespace).
			WithLabels(map[string]string{ownerLabel: widget.Name}).
			WithOwnerReferences(owner).
			WithData(map[string]string{"text": widget.Spec.Text})
		if err := r.client.Apply(ctx, wanted, client.FieldOwner(fieldManager), client.ForceOwnership); err != nil {
			return err
		}
	}
	return nil
}

func (r *reconciler) deleteSurplus(ctx context.Context, widget *Widget) error {
	owned := &corev1.ConfigMapList{}
	if err := r.client.List(ctx, owned, client.InNamespace(widget.Namespace), client.MatchingLabels{ownerLabel: widget.Name}); err != nil {
		return err
	}
	wanted := map[string]bool{}
	for index := range widget.Spec.Copies {
		wanted[copyName(widget, index)] = true
	}
	for index := range owned.Items {
		if wanted[owned.Items[index].Name] {
			continue
		}
		if err := client.IgnoreNotFound(r.client.Delete(ctx, &owned.Items[index])); err != nil {
			return err
		}
	}
	return nil
}

func (r *reconciler) patchStatus(ctx context.Context, widget *Widget) error {
	before := widget.deepCopy()
	widget.Status.Copies = widget.Spec.Copies
	widget.Status.ObservedGeneration = widget.Generation
	meta.SetStatusCondition(&widget.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Copied", ObservedGeneration: widget.Generation,
	})
	return client.IgnoreNotFound(r.client.Status().Patch(ctx, widget, client.MergeFrom(before)))
}

func (r *reconciler) report(what string, widget *Widget) {
	r.job.report.write(fields{what: widget.Name, "generation": widget.Generation, "by": r.job.options.identity})
}

func copyName(widget *Widget, index int) string {
	return fmt.Sprintf("%s-%d", widget.Name, index)
}
