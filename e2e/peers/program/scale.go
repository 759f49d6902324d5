package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	appsconfig "k8s.io/client-go/applyconfigurations/apps/v1"
	coreconfig "k8s.io/client-go/applyconfigurations/core/v1"
	metaconfig "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
)

// runScale scales a ReplicaSet, and a resource without a scale, with the client of an autoscaler,
// which discovers the kind of Scale of a resource.
func runScale(ctx context.Context, job *job) error {
	client, err := typedClient(job)
	if err != nil {
		return err
	}
	labels := map[string]string{"app": "web"}
	wanted := appsconfig.ReplicaSet("web", job.namespace).WithSpec(appsconfig.ReplicaSetSpec().
		WithReplicas(1).
		WithSelector(metaconfig.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(coreconfig.PodTemplateSpec().WithLabels(labels).
			WithSpec(coreconfig.PodSpec().WithContainers(coreconfig.Container().WithName("web").WithImage("nginx")))))
	created, err := client.AppsV1().ReplicaSets(job.namespace).Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: "peers"})
	job.report.step("apply a replica set", created, err)
	cached := memory.NewMemCacheClient(client.Discovery())
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cached)
	scales, err := scale.NewForConfig(job.config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(cached))
	if err != nil {
		return err
	}
	web := schema.GroupResource{Group: "apps", Resource: "replicasets"}
	found, err := scales.Scales(job.namespace).Get(ctx, web, "web", metav1.GetOptions{})
	job.report.step("get the scale", found, err)
	if err == nil {
		found.Spec.Replicas = 3
		updated, err := scales.Scales(job.namespace).Update(ctx, web, found, metav1.UpdateOptions{})
		job.report.step("update the scale", updated, err)
		_, err = scales.Scales(job.namespace).Update(ctx, web, found, metav1.UpdateOptions{})
		job.report.step("update a stale scale", nil, err)
	}
	patched, err := scales.Scales(job.namespace).Patch(ctx, web.WithVersion("v1"), "web", types.MergePatchType, []byte(`{"spec":{"replicas":5}}`), metav1.PatchOptions{})
	job.report.step("patch the scale", patched, err)
	_, err = scales.Scales(job.namespace).Get(ctx, web, "nowhere", metav1.GetOptions{})
	job.report.step("get the scale of nothing", nil, err)
	_, err = scales.Scales(job.namespace).Get(ctx, schema.GroupResource{Resource: "configmaps"}, "web", metav1.GetOptions{})
	job.report.step("get a scale where there is none", nil, err)
	return nil
}
