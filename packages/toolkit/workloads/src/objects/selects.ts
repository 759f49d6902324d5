import {
  labelRequirementsOf,
  matchesLabels,
  type DeepReadonly,
  type LabelSelector,
} from '@keelson/apimachinery';

/** True if a selector of a workload selects the labels. A workload without a selector selects nothing. */
export function selects(
  selector: DeepReadonly<LabelSelector> | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return selector !== undefined && matchesLabels(labelRequirementsOf(selector), labels ?? {});
}
