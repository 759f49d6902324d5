package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	appsconfig "k8s.io/client-go/applyconfigurations/apps/v1"
	coreconfig "k8s.io/client-go/applyconfigurations/core/v1"
	metaconfig "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

// runCrud makes the usual calls of the typed client and reports each response.
func runCrud(ctx context.Context, job *job) error {
	client, err := typedClient(job)
	if err != nil {
		return err
	}
	story := &crud{ctx: ctx, client: client, namespace: job.namespace, report: job.report}
	story.configMaps()
	story.patches()
	story.apply()
	story.deployments()
	story.deletes()
	return nil
}

type crud struct {
	ctx       context.Context
	client    *kubernetes.Clientset
	namespace string
	report    *report
}

func (c *crud) configMaps() {
	maps := c.client.CoreV1().ConfigMaps(c.namespace)
	created, err := maps.Create(c.ctx, configMap("one", "a"), metav1.CreateOptions{})
	c.report.step("create", created, err)
	_, err = maps.Create(c.ctx, configMap("one", "a"), metav1.CreateOptions{})
	c.report.step("create again", nil, err)
	dry, err := maps.Create(c.ctx, configMap("dry", "a"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	c.report.step("create dry", dry, err)
	_, err = maps.Get(c.ctx, "dry", metav1.GetOptions{})
	c.report.step("get what was dry", nil, err)
	_, err = maps.Create(c.ctx, configMap("Not A Name", "a"), metav1.CreateOptions{})
	c.report.step("create invalid", nil, err)
	generated := configMap("", "a")
	generated.GenerateName = "generated-"
	made, err := maps.Create(c.ctx, generated, metav1.CreateOptions{})
	c.report.write(fields{"step": "create generated", "error": reasonOf(err), "long": len(made.Name) > len("generated-")})

	first := created.DeepCopy()
	first.Data["value"] = "b"
	updated, err := maps.Update(c.ctx, first, metav1.UpdateOptions{FieldManager: "updater"})
	c.report.step("update", updated, err)
	_, err = maps.Update(c.ctx, first, metav1.UpdateOptions{})
	c.report.step("update a stale copy", nil, err)
	tries := 0
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		tries++
		current, err := maps.Get(c.ctx, "one", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if tries == 1 {
			current.ResourceVersion = created.ResourceVersion
		}
		current.Data["value"] = "c"
		_, err = maps.Update(c.ctx, current, metav1.UpdateOptions{})
		return err
	})
	c.report.write(fields{"step": "retry on conflict", "error": reasonOf(err), "tries": tries})
	same, err := maps.Get(c.ctx, "one", metav1.GetOptions{})
	c.report.step("get", same, err)
	again, err := maps.Update(c.ctx, same, metav1.UpdateOptions{})
	c.report.write(fields{"step": "update nothing", "error": reasonOf(err), "same": again.ResourceVersion == same.ResourceVersion})
	_, err = maps.Get(c.ctx, "nowhere", metav1.GetOptions{})
	c.report.step("get nothing", nil, err)
	c.report.write(fields{"step": "guard", "found": !errors.IsNotFound(err)})
}

func (c *crud) patches() {
	maps := c.client.CoreV1().ConfigMaps(c.namespace)
	for _, patch := range []struct {
		name string
		kind types.PatchType
		body string
	}{
		{"json patch", types.JSONPatchType, `[{"op":"test","path":"/data/value","value":"c"},{"op":"add","path":"/data/json","value":"1"}]`},
		{"json patch whose test fails", types.JSONPatchType, `[{"op":"test","path":"/data/value","value":"z"}]`},
		{"merge patch", types.MergePatchType, `{"data":{"merge":"1","json":null}}`},
		{"strategic patch", types.StrategicMergePatchType, `{"metadata":{"finalizers":["keelson.dev/a","keelson.dev/b"]}}`},
		{"strategic delete", types.StrategicMergePatchType, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["keelson.dev/a","keelson.dev/b"]}}`},
		{"a patch of no sense", types.MergePatchType, `[1]`},
	} {
		patched, err := maps.Patch(c.ctx, "one", patch.kind, []byte(patch.body), metav1.PatchOptions{})
		c.report.step(patch.name, patched, err)
	}
}

func (c *crud) apply() {
	maps := c.client.CoreV1().ConfigMaps(c.namespace)
	wanted := coreconfig.ConfigMap("applied", c.namespace).WithData(map[string]string{"value": "a"})
	applied, err := maps.Apply(c.ctx, wanted, metav1.ApplyOptions{FieldManager: "first"})
	c.report.step("apply", applied, err)
	other := coreconfig.ConfigMap("applied", c.namespace).WithData(map[string]string{"value": "b"})
	_, err = maps.Apply(c.ctx, other, metav1.ApplyOptions{FieldManager: "second"})
	c.report.step("apply against an owner", nil, err)
	applied, err = maps.Apply(c.ctx, other, metav1.ApplyOptions{FieldManager: "second", Force: true})
	c.report.step("apply with force", applied, err)
	extracted, err := coreconfig.ExtractConfigMap(applied, "second")
	c.report.write(fields{"step": "extract", "error": reasonOf(err), "data": extracted.Data})
}

func (c *crud) deployments() {
	deployments := c.client.AppsV1().Deployments(c.namespace)
	container := coreconfig.Container().WithName("web").WithImage("nginx")
	labels := map[string]string{"app": "web"}
	wanted := appsconfig.Deployment("web", c.namespace).WithSpec(appsconfig.DeploymentSpec().
		WithReplicas(1).
		WithSelector(metaconfig.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(coreconfig.PodTemplateSpec().WithLabels(labels).
			WithSpec(coreconfig.PodSpec().WithContainers(container))))
	created, err := deployments.Apply(c.ctx, wanted, metav1.ApplyOptions{FieldManager: "first"})
	c.report.step("apply a deployment", created, err)
	created.Status = appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 1, ReadyReplicas: 1, AvailableReplicas: 1, UpdatedReplicas: 1}
	status, err := deployments.UpdateStatus(c.ctx, created, metav1.UpdateOptions{})
	c.report.step("update its status", status, err)
	scale, err := deployments.GetScale(c.ctx, "web", metav1.GetOptions{})
	c.report.step("get its scale", scale, err)
	scale, err = deployments.UpdateScale(c.ctx, "web", &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: c.namespace},
		Spec:       autoscalingv1.ScaleSpec{Replicas: 3},
	}, metav1.UpdateOptions{})
	c.report.step("scale it", scale, err)
	scaled, err := deployments.Get(c.ctx, "web", metav1.GetOptions{})
	c.report.step("get what was scaled", scaled, err)
	patched, err := deployments.Patch(c.ctx, "web", types.StrategicMergePatchType,
		[]byte(`{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox"}]}}}}`), metav1.PatchOptions{})
	c.report.step("add a container", patched, err)
}

func (c *crud) deletes() {
	maps := c.client.CoreV1().ConfigMaps(c.namespace)
	wrong := types.UID("00000000-0000-0000-0000-000000000000")
	err := maps.Delete(c.ctx, "one", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}})
	c.report.write(fields{"step": "delete another one", "error": reasonOf(err)})
	for _, name := range []string{"x-1", "x-2", "y-1"} {
		object := configMap(name, "a")
		object.Labels = map[string]string{"group": name[:1]}
		_, err = maps.Create(c.ctx, object, metav1.CreateOptions{})
		c.report.step("create "+name, nil, err)
	}
	err = maps.DeleteCollection(c.ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "group=x"})
	c.report.step("delete a collection", nil, err)
	left, err := maps.List(c.ctx, metav1.ListOptions{LabelSelector: "group"})
	c.report.step("list what is left", left, err)
	c.report.step("delete", nil, maps.Delete(c.ctx, "one", metav1.DeleteOptions{}))
	c.report.step("delete again", nil, maps.Delete(c.ctx, "one", metav1.DeleteOptions{}))
	held := configMap("held", "a")
	held.Finalizers = []string{"keelson.dev/hold"}
	_, err = maps.Create(c.ctx, held, metav1.CreateOptions{})
	c.report.step("create with a finalizer", nil, err)
	c.report.step("delete what is held", nil, maps.Delete(c.ctx, "held", metav1.DeleteOptions{}))
	deleting, err := maps.Get(c.ctx, "held", metav1.GetOptions{})
	c.report.write(fields{"step": "get what is held", "error": reasonOf(err), "deleting": deleting.DeletionTimestamp != nil})
	_, err = maps.Patch(c.ctx, "held", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	c.report.step("let it go", nil, err)
	_, err = maps.Get(c.ctx, "held", metav1.GetOptions{})
	c.report.step("get what has gone", nil, err)
}

func configMap(name, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Data:       map[string]string{"value": value},
	}
}
