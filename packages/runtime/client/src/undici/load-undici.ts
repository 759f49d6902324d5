import type { Dispatcher } from 'undici';

type Whole = typeof import('undici');

/** The part of undici that the client uses. */
export type Undici = Pick<
  Whole,
  | 'Agent'
  | 'DecoratorHandler'
  | 'Pool'
  | 'ProxyAgent'
  | 'Socks5ProxyAgent'
  | 'buildConnector'
  | 'errors'
>;

/** The part of undici that opens connections. */
export type UndiciConnector = Pick<Undici, 'buildConnector' | 'errors'>;

/** The part of undici that sends requests without a proxy. */
export type UndiciPools = Pick<Undici, 'DecoratorHandler' | 'Pool'> & UndiciConnector;

/** Loads the part of undici that opens connections, which is a quarter of what the client uses. */
export async function loadConnector(): Promise<UndiciConnector> {
  const modules: readonly { readonly default: unknown }[] = await Promise.all([
    // @ts-expect-error undici has types for its main module only
    import('undici/lib/core/connect.js'),
    // @ts-expect-error the same
    import('undici/lib/core/errors.js'),
  ]);
  const [buildConnector, errors] = modules.map((module) => module.default);
  return { buildConnector, errors } as UndiciConnector;
}

/** Loads the part of undici that sends requests without a proxy. The rest takes 7 ms. */
export async function loadPools(): Promise<UndiciPools> {
  const loads: readonly Promise<{ readonly default: unknown }>[] = [
    // @ts-expect-error undici has types for its main module only
    import('undici/lib/handler/decorator-handler.js'),
    // @ts-expect-error the same
    import('undici/lib/dispatcher/pool.js'),
  ];
  const [connector, modules] = await Promise.all([loadConnector(), Promise.all(loads)]);
  const [DecoratorHandler, Pool] = modules.map((module) => module.default);
  return { DecoratorHandler, Pool, ...connector } as UndiciPools;
}

/**
 * Loads undici without fetch, WebSocket, caches and mocks, which saves 12 MB of memory, and 235 KB in an operator that
 * is bundled into one file. Its files may have other names in another minor version, so package.json permits only one.
 */
export async function loadUndici(): Promise<Undici> {
  const loads: readonly Promise<{ readonly default: unknown }>[] = [
    // @ts-expect-error undici has types for its main module only
    import('undici/lib/dispatcher/dispatcher.js'),
    // @ts-expect-error the same
    import('undici/lib/api/index.js'),
    // @ts-expect-error the same
    import('undici/lib/dispatcher/agent.js'),
    // @ts-expect-error the same
    import('undici/lib/dispatcher/proxy-agent.js'),
    // @ts-expect-error the same
    import('undici/lib/dispatcher/socks5-proxy-agent.js'),
  ];
  const [pools, modules] = await Promise.all([loadPools(), Promise.all(loads)]);
  const [dispatcher, api, ...parts] = modules.map((module) => module.default);
  const [Agent, ProxyAgent, Socks5ProxyAgent] = parts;
  // The main module of undici adds these methods in the same way. The proxy agent needs `connect`.
  Object.assign((dispatcher as typeof Dispatcher).prototype, api);
  return { Agent, ProxyAgent, Socks5ProxyAgent, ...pools } as Undici;
}
