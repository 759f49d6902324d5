import { at, listAt, textAt } from './column.ts';

/** Formats labels as kubectl does: `a=1,b=2`, or `<none>` without labels. */
export function formatLabels(labels: unknown): string {
  if (typeof labels !== 'object' || labels === null) return '<none>';
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  return pairs.length === 0 ? '<none>' : pairs.toSorted().join(',');
}

/** Formats a LabelSelector or a map of labels as kubectl does. */
export function formatSelector(selector: unknown): string {
  const isLabelSelector =
    at(selector, 'matchLabels') !== undefined || at(selector, 'matchExpressions') !== undefined;
  if (!isLabelSelector) return formatLabels(selector);
  const labels = at(selector, 'matchLabels');
  const parts = listAt(selector, 'matchExpressions').map(formatExpression);
  if (typeof labels === 'object' && labels !== null && Object.keys(labels).length > 0) {
    parts.unshift(formatLabels(labels));
  }
  return parts.length === 0 ? '<none>' : parts.join(',');
}

function formatExpression(expression: unknown): string {
  const key = textAt(expression, ['key']);
  const values = listAt(expression, 'values').map(String).join(',');
  switch (at(expression, 'operator')) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
}
