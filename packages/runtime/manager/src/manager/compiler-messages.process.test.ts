import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Frequent mistakes with the compiler's message: one line with the option and the cure. */
const mistakes: Readonly<Record<string, readonly [code: string, message: string]>> = {
  'a misspelt option': [
    `manager.addController({ name: 'a', for: WebApp, concurency: 3, reconcile });`,
    `Object literal may only specify known properties, but 'concurency' does not exist in type 'ControllerOptions<WebApp, ObjectName, [], "full", void>'. Did you mean to write 'concurrency'?`,
  ],
  'an option of controller-runtime': [
    `manager.addController({ name: 'a', for: WebApp, maxConcurrentReconciles: 3, reconcile });`,
    `Type 'number' is not assignable to type 'Hint<"maxConcurrentReconciles: use \`concurrency\`">'.`,
  ],
  'an option of a manager of controller-runtime': [
    `createManager({ leaderElectionID: 'web-app' });`,
    `Type 'string' is not assignable to type 'Hint<"leaderElectionID: use \`leaderElection: { lease }\`">'.`,
  ],
  'a string in place of the kind to reconcile': [
    `manager.addController({ name: 'a', for: 'CronJob', reconcile });`,
    `Type 'string' is not assignable to type 'Hint<"for must be a resource token: builtin.X or defineResource(…)"> | SourceOf<KubernetesObject, "full">'.`,
  ],
  'a string in place of an owned kind': [
    `manager.addController({ name: 'a', for: WebApp, owns: ['Deployment'], reconcile });`,
    `Type 'string' is not assignable to type 'ApiResource<KubernetesObject> | Hint<"owns must be a resource token: builtin.X or defineResource(…)"> | OwnsOptions<KubernetesObject>'.`,
  ],
  'a watch without a mapper': [
    `manager.addController({ name: 'a', watches: [{ resource: WebApp }], reconcile });`,
    `Property 'map' is missing in type '{ resource: ApiResource<WebApp>; }' but required in type 'WatchOptions<WebApp, ObjectName, "full", "compressed" | "lazy" | "object">'.`,
  ],
  'a mapper that returns a string': [
    `manager.addController({ name: 'a', watches: [{ resource: WebApp, map: ({ name }) => name }], reconcile });`,
    `Type 'string' is not assignable to type 'Hint<"map must return requests ({ namespace, name }) and no promise"> | Iterable<NoInfer<ObjectName>> | NoInfer<ObjectName> | undefined'.`,
  ],
  'an asynchronous mapper': [
    `manager.addController({ name: 'a', watches: [{ resource: WebApp, map: async ({ name }) => ({ name }) }], reconcile });`,
    `Type 'Promise<{ name: string; }>' is not assignable to type 'Hint<"map must return requests ({ namespace, name }) and no promise"> | Iterable<NoInfer<ObjectName>> | NoInfer<ObjectName> | undefined'.`,
  ],
  'a misspelt option of a watch': [
    `manager.addController({ name: 'a', watches: [{ resource: WebApp, map, labelSelektor: 'a' }], reconcile });`,
    `Object literal may only specify known properties, but 'labelSelektor' does not exist in type 'WatchOptions<WebApp, ObjectName, "full", "compressed" | "lazy" | "object">'. Did you mean to write 'labelSelector'?`,
  ],
  'no reconcile': [
    `manager.addController({ name: 'a', for: WebApp });`,
    `Property 'reconcile' is missing in type '{ name: string; for: ApiResource<WebApp>; }' but required in type 'ControllerOptions<WebApp, ObjectName, [], "full", never>'.`,
  ],
  'a result of controller-runtime': [
    `manager.addController({ name: 'a', for: WebApp, reconcile: () => ({ requeue: true }) });`,
    `Type '() => { requeue: boolean; }' is not assignable to type 'Hint<"requeue: use \`retry\`, or \`requeueAfter\`">'.`,
  ],
  'an asynchronous result of controller-runtime': [
    `manager.addController({ name: 'a', for: WebApp, async reconcile() { return { requeueIn: 3 }; } });`,
    `Type '() => Promise<{ requeueIn: number; }>' is not assignable to type 'Hint<"requeueIn: use \`requeueAfter\`">'.`,
  ],
  'an asynchronous result without a member of an outcome': [
    `manager.addController({ name: 'a', for: WebApp, reconcile: async () => 'done' });`,
    `Type '() => Promise<string>' is not assignable to type 'Hint<"reconcile must return nothing or { requeueAfter, retry, priority }">'.`,
  ],
  'a misspelt member of an asynchronous result': [
    `manager.addController({ name: 'a', for: WebApp, reconcile: async () => ({ requeueAfter: '3s', prio: 1 }) });`,
    `Type '() => Promise<{ requeueAfter: "3s"; prio: number; }>' is not assignable to type 'Hint<"reconcile must return nothing or { requeueAfter, retry, priority }">'.`,
  ],
  'a request of its own without a key': [
    `manager.addController({ name: 'a', reconcile: (_request: { id: string }) => undefined });`,
    `Property 'keyOf' is missing in type '{ name: string; reconcile: (_request: { id: string; }) => undefined; }' but required in type 'KeyedOptions<KubernetesObject, { id: string; }, [], "full", undefined>'.`,
  ],
  'a request of its own for a kind': [
    `manager.addController({ name: 'a', for: WebApp, keyOf: ({ id }) => id, reconcile: (_request: { id: string }) => undefined });`,
    `Property '[hint]' is missing in type 'ApiResource<WebApp>' but required in type 'Hint<"for: use \`watches\`, for the request is not an object name">'.`,
  ],
  'a watch without a mapper at run time': [
    `controller.watch({ resource: WebApp });`,
    `Property 'map' is missing in type '{ resource: ApiResource<WebApp>; }' but required in type 'WatchOptions<WebApp, ObjectName, "full", RetentionOf<"full">>'.`,
  ],
  'a change of an object from the cache': [
    `app.metadata.name = 'b';`,
    `Cannot assign to 'name' because it is a read-only property.`,
  ],
  'metadata of an object that was not read': [
    `plain.metadata.name;`,
    `'plain.metadata' is possibly 'undefined'.`,
  ],
  'the namespace of a cluster-scoped object': [
    `node.metadata.namespace.length;`,
    `'node.metadata.namespace' is possibly 'undefined'.`,
  ],
  'the request of an object that was not read': [
    `requestFor(plain);`,
    `Property '[hint]' is missing in type 'WebApp' but required in type 'Hint<"object without a name: read it from the cache or the client">'.`,
  ],
  'a misspelt member of a copy': [
    `mutableCopy(app).spec!.imge = 'a';`,
    `Property 'imge' does not exist on type 'DeepMutable<DeepReadonly<{ image: string; }>>'. Did you mean 'image'?`,
  ],
  'a copy of a text': [
    `mutableCopy('a');`,
    `Argument of type 'string' is not assignable to parameter of type 'object'.`,
  ],
  'a misspelt member of an object to create': [
    `manager.client.create(WebApp, { metadata: { name: 'a' }, spec: { imge: 'a' } });`,
    `Object literal may only specify known properties, but 'imge' does not exist in type 'DeepReadonly<{ image: string; }> | { image: string; }'. Did you mean to write 'image'?`,
  ],
  'the namespace of a cluster-scoped object to create': [
    `manager.client.create(builtin.Node, { metadata: { name: 'a', namespace: 'b' } });`,
    `Type 'string' is not assignable to type 'undefined'.`,
  ],
  'the scope of a namespaced type': [
    `defineResource<WebApp>({ group: 'a.b', version: 'v1', kind: 'A', plural: 'as', scope: 'Cluster' });`,
    `Type '"Cluster"' is not assignable to type '"Namespaced" | Hint<"scope: for Cluster the type must extend ClusterScopedObject">'.`,
  ],
};

/** Expressions with the type that the compiler prints, as an editor does when the pointer rests on them. */
const printed: Readonly<Record<string, string>> = {
  'manager.cache.list(WebApp)': 'DeepReadonly<Persisted<WebApp>>[]',
  'manager.cache.list(builtin.Node)':
    'DeepReadonly<Persisted<ClusterScoped<WireMembers<V1Node>>>>[]',
  'manager.client.get(WebApp, app.metadata)': 'Promise<Persisted<WebApp>>',
  'mutableCopy(app)': 'DeepMutable<DeepReadonly<Persisted<WebApp>>>',
};

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const repository = fileOf('../../../../../');

const preamble = `import { builtin, createManager, defineResource, mutableCopy, requestFor, type Controller, type DeepReadonly, type KubernetesObject, type Manager, type ObjectOf, type Persisted } from '${fileOf('../index.ts')}';
interface WebApp extends KubernetesObject { spec?: { image: string } }
const WebApp = defineResource<WebApp>({ group: 'a.b', version: 'v1', kind: 'WebApp', plural: 'webapps' });
declare const manager: Manager;
declare const controller: Controller;
declare const plain: WebApp;
declare const app: DeepReadonly<Persisted<WebApp>>;
declare const node: Persisted<ObjectOf<typeof builtin.Node>>;
const reconcile = (): void => undefined;
const map = (): undefined => undefined;
`;

const settings = {
  extends: join(repository, 'tsconfig.json'),
  compilerOptions: {
    noEmit: true,
    composite: false,
    isolatedDeclarations: false,
    declarationMap: false,
    noUnusedLocals: false,
    allowImportingTsExtensions: true,
    typeRoots: [join(repository, 'node_modules/@types')],
  },
  files: ['mistakes.ts'],
  references: [],
};

/** The messages of the compiler about the project in the folder. */
async function compile(folder: string, config: object): Promise<string> {
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(repository, 'node_modules/typescript/bin/tsc');
  const words = [compiler, '-p', folder, '--pretty', 'false'];
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: folder }, (_error, stdout) => resolve(stdout));
  });
}

/** Compiles a line for each mistake, and returns the messages about each line. */
async function compileMistakes(folder: string): Promise<Map<number, string>> {
  const wrong = Object.values(mistakes).map(([code]) => code);
  const expressions = Object.keys(printed).map((code, at) => `const x${at}: 1 = ${code};`);
  const lines = [...wrong, ...expressions];
  await writeFile(join(folder, 'mistakes.ts'), `${preamble}${lines.join('\n')}\n`);
  const output = await compile(folder, settings);
  const found = output.matchAll(
    /^mistakes\.ts\((?<line>\d+),\d+\): error TS\d+: (?<text>.*(?:\n .*)*)/gm,
  );
  const first = preamble.split('\n').length;
  return new Map(
    Array.from(found, ({ groups }) => [Number(groups?.['line']) - first, groups?.['text'] ?? '']),
  );
}

describe('the message of the compiler', () => {
  let folder: string;
  let messages: Map<number, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-messages-'));
    messages = await compileMistakes(folder);
  });

  afterAll(() => rm(folder, { recursive: true }));

  test.each(Object.entries(mistakes).map(([title, [, message]], at) => ({ title, message, at })))(
    'about $title is one line that names the option and the cure',
    ({ message, at }) => {
      expect(messages.get(at)).toBe(message);
      expect(message.length).toBeLessThanOrEqual(210);
    },
  );

  test.each(Object.entries(printed).map(([code, type], at) => ({ code, type, at })))(
    'prints the type of $code without its members',
    ({ type, at }) => {
      const line = Object.keys(mistakes).length + at;
      expect(messages.get(line)).toBe(`Type '${type}' is not assignable to type '1'.`);
    },
  );

  test('is missing for functions typed by the kind of their source, with and without exactOptionalPropertyTypes', async () => {
    const { compilerOptions, ...others } = settings;
    const output = await compile(folder, {
      ...others,
      compilerOptions: { ...compilerOptions, exactOptionalPropertyTypes: false },
      files: [fileOf('manager.types.test.ts'), 'mistakes.ts'],
    });
    expect(output).toContain('mistakes.ts');
    expect(output.split('\n').filter((line) => line.includes('manager.types.test.ts'))).toEqual([]);
  });
});
