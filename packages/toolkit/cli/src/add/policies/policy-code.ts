import { variableOf } from '../kinds/kind-names.ts';
import type { KindExports, ProjectKind } from '../kinds/project-kinds.ts';

/** The names in the code of a policy. */
export interface PolicyNames {
  /** The name of its file, such as `order-policy`. */
  readonly name: string;
  /** The constant of its declaration, such as `orderPolicy`. */
  readonly constant: string;
}

export function policyNames({ kind }: Pick<ProjectKind, 'kind'>): PolicyNames {
  return { name: `${kind.toLowerCase()}-policy`, constant: `${variableOf(kind)}Policy` };
}

/** The module of a policy, with a rule that fits every kind. */
export function policyCode(
  kind: Pick<ProjectKind, 'kind' | 'plural' | 'group'>,
  kindModule: string,
  { token, definition }: KindExports,
): string {
  const { constant } = policyNames(kind);
  const imported = definition ?? token;
  return `import { definePolicy } from '@keelson/schema';
import { ${imported} } from '${kindModule}';

/** The API server evaluates these rules itself before it stores an object. \`keelson manifests\` installs them. */
export const ${constant} = definePolicy({
  name: 'names.${kind.plural}.${kind.group}',
  resource: ${imported},
  rules: [
    {
      cel: 'size(object.metadata.name) <= 63',
      message: 'metadata.name must have at most 63 characters',
    },
  ],
});
`;
}

/** The test of a policy, which needs no server. */
export function policyTestCode(kind: Pick<ProjectKind, 'kind'>): string {
  const { name, constant } = policyNames(kind);
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ${constant} } from './${name}.ts';

test('the policy of ${kind.kind} refuses a name of 64 characters', () => {
  const messagesFor = (name: string) =>
    ${constant}.check({ object: { metadata: { name } } }).map(({ message }) => message);
  assert.deepEqual(messagesFor('a'.repeat(63)), []);
  assert.deepEqual(messagesFor('a'.repeat(64)), ['metadata.name must have at most 63 characters']);
});
`;
}
