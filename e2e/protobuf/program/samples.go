package main

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// at is an instant with a fraction, which Time drops and MicroTime keeps.
var at = time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)

func pointerTo[Value any](value Value) *Value { return &value }

func metadata(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:              name,
		Namespace:         "shop",
		UID:               "7f8a0c1e-3d52-4b7c-9a55-0f2f4a1d6c11",
		ResourceVersion:   "123456789",
		Generation:        3,
		CreationTimestamp: metav1.NewTime(at),
		Labels:            map[string]string{"app": "cart", "10": "ten", "2": "two", "é": "accent"},
		ManagedFields: []metav1.ManagedFieldsEntry{
			managedFields("kubectl", `{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`),
			managedFields("kubelet", `{"f:status":{"f:phase":{}}}`),
		},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "cart", UID: "1", Controller: pointerTo(true),
		}},
	}
}

func managedFields(manager string, fields string) metav1.ManagedFieldsEntry {
	entry := metav1.ManagedFieldsEntry{Manager: manager, Operation: "Update", APIVersion: "v1", FieldsType: "FieldsV1"}
	entry.Time = pointerTo(metav1.NewTime(at))
	entry.FieldsV1 = &metav1.FieldsV1{Raw: []byte(fields)}
	return entry
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metadata(name),
		Spec: corev1.PodSpec{
			Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
				Secret: &corev1.SecretVolumeSource{SecretName: "cart", Optional: pointerTo(false)},
			}}},
			Containers: []corev1.Container{{
				Name: "cart",
				Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{"cpu": resource.MustParse("0.5"), "memory": resource.MustParse("1.5Gi")},
				},
				LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
					HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromString("http")},
				}},
				ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
					TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(8080)},
				}},
			}},
			TerminationGracePeriodSeconds: pointerTo(int64(0)),
			Tolerations:                   []corev1.Toleration{{Operator: "Exists", TolerationSeconds: pointerTo(int64(-1))}},
		},
		Status: corev1.PodStatus{
			Phase:      "Running",
			Conditions: []corev1.PodCondition{{Type: "Ready", Status: "True", LastTransitionTime: metav1.NewTime(at)}},
		},
	}
}

// samples are objects whose types have JSON forms of their own.
func samples() []runtime.Object {
	return []runtime.Object{
		pod("cart-0"),
		&corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metadata("cart"),
			Data:       map[string][]byte{"password": {0, 1, 254, 255}, "empty": {}, "__proto__": []byte("x")},
		},
		&corev1.Service{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
			ObjectMeta: metadata("cart"),
			Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(0)}}},
		},
		statefulSet(),
		&appsv1.ControllerRevision{
			TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "ControllerRevision"},
			ObjectMeta: metadata("cart-1"),
			Data:       runtime.RawExtension{Raw: []byte(`{"spec":{"b":[1,null],"a":"é"}}`)},
			Revision:   9007199254740993,
		},
		&autoscalingv2.HorizontalPodAutoscaler{
			TypeMeta:   metav1.TypeMeta{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler"},
			ObjectMeta: metadata("cart"),
			Spec: autoscalingv2.HorizontalPodAutoscalerSpec{Metrics: []autoscalingv2.MetricSpec{{
				Type: "Object",
				Object: &autoscalingv2.ObjectMetricSource{Target: autoscalingv2.MetricTarget{
					Value: resource.NewMilliQuantity(1500, resource.DecimalSI),
				}},
			}}},
		},
		&certificatesv1.CertificateSigningRequest{
			TypeMeta:   metav1.TypeMeta{APIVersion: "certificates.k8s.io/v1", Kind: "CertificateSigningRequest"},
			ObjectMeta: metadata("cart"),
			Spec: certificatesv1.CertificateSigningRequestSpec{
				Request: []byte("request"),
				Extra:   map[string]certificatesv1.ExtraValue{"groups": {"a", ""}, "none": {}},
			},
		},
		&eventsv1.Event{
			TypeMeta:   metav1.TypeMeta{APIVersion: "events.k8s.io/v1", Kind: "Event"},
			ObjectMeta: metadata("cart-0.1"),
			EventTime:  metav1.NewMicroTime(at),
		},
		&metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"},
			ObjectMeta: metadata("cart"),
		},
		status(),
	}
}

func statefulSet() *appsv1.StatefulSet {
	return &appsv1.StatefulSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "StatefulSet"},
		ObjectMeta: metadata("cart"),
		Spec: appsv1.StatefulSetSpec{VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{
			ObjectMeta: metav1.ObjectMeta{Name: "data"},
		}}},
	}
}

func status() *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   "Failure",
		Message:  "too old resource version: 1 (2)",
		Reason:   "Expired",
		Code:     410,
	}
}
