import type { LiveViewFactory } from './live-view.ts';

const factories: Readonly<Record<string, () => Promise<LiveViewFactory>>> = {
  keelson: async () => (await keelsonModules()).keelsonView,
  keelsonJson: async () => (await keelsonModules()).keelsonJsonView,
  keelsonByList: async () => (await keelsonModules()).keelsonByListView,
  keelsonByListJson: async () => (await keelsonModules()).keelsonByListJsonView,
  clientNode: async () => (await import('./client-node-view.ts')).clientNodeView,
  keepBytes: async () => (await import('./keep-bytes-view.ts')).keepBytesView,
  keepProtobuf: async () => (await import('./keep-protobuf-view.ts')).keepProtobufView,
  plain: async () => (await import('./plain-view.ts')).plainView,
  sink: async () => (await import('./sink-view.ts')).sinkView,
};

/** What Keelson loads with its first requests, and the other contenders at their import. */
const LOADED_WHEN_NEEDED = [
  'undici/lib/core/connect.js',
  'undici/lib/core/errors.js',
  'undici/lib/handler/decorator-handler.js',
  'undici/lib/dispatcher/pool.js',
  'node:tls',
  'node:http2',
];

async function keelsonModules(): Promise<typeof import('./keelson-view.ts')> {
  await Promise.all(LOADED_WHEN_NEEDED.map((module) => import(module)));
  return import('./keelson-view.ts');
}

/** Loads only the requested contender. */
export async function loadView(name: string): Promise<LiveViewFactory> {
  const load = factories[name];
  if (load === undefined) throw new Error(`no contender ${name}`);
  return load();
}
