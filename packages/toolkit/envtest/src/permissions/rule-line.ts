import type { PolicyRule } from './permission.ts';
import type { CheckedInRole } from './role-part.ts';

/** Names a role: its kind, namespace and name. */
export function titleOf({
  kind = '',
  metadata: { name = '', namespace = '' } = {},
}: CheckedInRole): string {
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** Prints a rule in the flow style of YAML, which can be pasted into a role. */
export function lineOf(rule: PolicyRule): string {
  const fields = Object.entries(rule).map(([key, values]) => {
    const shown = values.map((value: string) =>
      /^[a-z/][\w./-]*$/i.test(value) ? value : `'${value}'`,
    );
    return `${key}: [${shown.join(', ')}]`;
  });
  return `{ ${fields.join(', ')} }`;
}
