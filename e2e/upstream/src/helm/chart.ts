import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

function hook(name: string, events: string): string {
  return `apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-${name}
  annotations:
    helm.sh/hook: ${events}
    helm.sh/hook-delete-policy: before-hook-creation
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: hook, image: hook }]
`;
}

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gizmos.charts.example.com }
spec:
  group: charts.example.com
  scope: Namespaced
  names: { plural: gizmos, kind: Gizmo }
  versions:
    - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }
`;

const workload = `apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ .Release.Name }} }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: {{ .Release.Name }} } }
  template:
    metadata: { labels: { app: {{ .Release.Name }} } }
    spec: { containers: [{ name: app, image: {{ .Values.image | quote }} }] }
---
apiVersion: v1
kind: Service
metadata: { name: {{ .Release.Name }} }
spec: { selector: { app: {{ .Release.Name }} }, ports: [{ port: 80 }] }
`;

const settings = `{{- if .Values.settings }}
apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }} }
data: { image: {{ .Values.image | quote }} }
{{- end }}
---
apiVersion: charts.example.com/v1
kind: Gizmo
metadata: { name: {{ .Release.Name }} }
`;

const check = `apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-test
  annotations: { helm.sh/hook: test }
spec: { restartPolicy: Never, containers: [{ name: test, image: test }] }
`;

const files: Readonly<Record<string, string>> = {
  'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'values.yaml': 'replicas: 2\nimage: web:1\nsettings: true\n',
  'crds/gizmos.yaml': definition,
  'templates/workload.yaml': workload,
  'templates/settings.yaml': settings,
  'templates/pre-install.yaml': hook('pre-install', 'pre-install'),
  'templates/post-upgrade.yaml': hook('post-upgrade', 'post-upgrade,post-rollback'),
  'templates/pre-delete.yaml': hook('pre-delete', 'pre-delete'),
  'templates/test.yaml': check,
};

/** Writes a chart with a definition, a workload, hooks and a test into a folder. */
export async function writeChart(folder: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
