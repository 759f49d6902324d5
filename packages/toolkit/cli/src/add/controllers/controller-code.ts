import type { ProjectKind } from '../kinds/project-kinds.ts';
import { lines } from '../source/lines.ts';
import { literalOf } from '../source/literal-of.ts';

/** The names in the code of a controller. */
export interface ControllerNames {
  /** The name of the controller, such as `order`. */
  readonly name: string;
  /** The function that adds it to a manager, such as `addOrderController`. */
  readonly addFunction: string;
}

export function controllerNames({ kind }: Pick<ProjectKind, 'kind'>): ControllerNames {
  return { name: kind.toLowerCase(), addFunction: `add${kind}Controller` };
}

/** The module of a controller that sets the condition `Ready` of each object. */
export function controllerCode(
  { kind, scope }: Pick<ProjectKind, 'kind' | 'scope'>,
  kindModule: string,
): string {
  const { name, addFunction } = controllerNames({ kind });
  const key = scope === 'Namespaced' ? '{ namespace, name }' : '{ name }';
  return `import { generationChanged, isDeleting, type Manager } from '@keelson/manager';
import { ${kind} } from '${kindModule}';

/** Adds the controller that brings the world in line with each ${kind}. */
export function ${addFunction}(manager: Manager): void {
  manager.addController({
    name: '${name}',
    for: { resource: ${kind}, predicates: [generationChanged] },
    async reconcile(${key}, { cache, patchStatus }) {
      const object = cache.get(${kind}, ${key});
      if (object === undefined || isDeleting(object)) return;
      // Here the controller creates or changes what the spec describes, before it reports success.
      const ready = { type: 'Ready', status: 'True', reason: 'Reconciled', message: '' } as const;
      await patchStatus(${kind}, object, { conditions: [ready] });
    },
  });
}
`;
}

/** The test of such a controller, for a file that has a \`client\` and a running operator. */
export function controllerTestLines(
  { kind, scope }: Pick<ProjectKind, 'kind' | 'scope'>,
  client: string,
  spec: object,
): readonly string[] {
  const { name } = controllerNames({ kind });
  const namespace = scope === 'Namespaced' ? `namespace: 'default', ` : '';
  return lines(`test('the controller ${name} reports that an object is ready', async () => {
  const metadata = { ${namespace}name: '${name}-of-a-test' };
  await ${client}.create(${kind}, { metadata, spec: ${literalOf(spec)} });
  await until(${client}, ${kind}, metadata, (object) =>
    isConditionTrue(object?.status?.conditions, 'Ready'),
  );
  await ${client}.delete(${kind}, metadata);
});
`);
}
