/** Options with which a user checks the declarations of libraries as strictly as the compiler can. */
export const compilerOptions: readonly string[] = [
  '--noEmit',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--skipLibCheck',
  'false',
  '--target',
  'es2022',
  '--module',
  'nodenext',
];

/** Returns a program for the compiler that imports all types of some packages, and infers those of an operator. */
export function programOfTypes(names: readonly string[]): string {
  const imports = names.map(
    (name, at) =>
      `import type * as all${at} from '${name}';\nexport type All${at} = typeof all${at};`,
  );
  return `${imports.join('\n')}\n${operator}`;
}

const operator = `
import { builtin, createManager, type Manager } from '@keelson/manager';
import { defineKind } from '@keelson/schema';

export const websites = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  plural: 'websites',
  spec: {
    type: 'object',
    required: ['replicas'],
    properties: { replicas: { type: 'integer' }, image: { type: 'string' } },
  },
});

export function createOperator(): Manager {
  const manager = createManager();
  manager.addController({
    name: 'website',
    for: websites.resource,
    owns: [builtin.Deployment],
    async reconcile({ namespace, name }, { cache, client, signal }) {
      const website = cache.get(websites.resource, { namespace, name });
      if (website === undefined) return undefined;
      const replicas: number = website.spec.replicas;
      const image: string | undefined = website.spec.image;
      const { items } = await client.list(builtin.Pod, { namespace, signal });
      const created: string | undefined = items[0]?.metadata?.creationTimestamp;
      return image === undefined || created === undefined || replicas > 1 ? { requeueAfter: 1000 } : undefined;
    },
  });
  return manager;
}
`;
