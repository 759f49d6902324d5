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

/** Loads undici before the measurement: Keelson loads it with its first request, the others at their import. */
async function keelsonModules(): Promise<typeof import('./keelson-view.ts')> {
  await import('undici');
  return import('./keelson-view.ts');
}

/** Loads only the requested contender. */
export async function loadView(name: string): Promise<LiveViewFactory> {
  const load = factories[name];
  if (load === undefined) throw new Error(`no contender ${name}`);
  return load();
}
