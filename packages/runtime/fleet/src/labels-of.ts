import type { DeepReadonly, KubernetesObject } from '@keelson/apimachinery';

/** The options of a cluster that has the labels of the object that describes it. */
export function labelsOf({ metadata }: DeepReadonly<KubernetesObject>): {
  labels: Readonly<Record<string, string>>;
} {
  return { labels: metadata?.labels ?? {} };
}
