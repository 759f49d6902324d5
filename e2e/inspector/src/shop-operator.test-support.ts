import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createLogger, createManager, ownerReferenceTo, type Manager } from '@keelson/manager';

/** A value that no page may show. */
export const canary = 'wJalrXUtnFEMI-bPxRfiCYEXAMPLEKEY';

/** Texts that would become markup, a script or another path if the page did not encode them. */
export const hostile: readonly string[] = [
  '<img src=x onerror="globalThis.isHostile=1">',
  '"><script>globalThis.isHostile=1</script>',
  "javascript:globalThis.isHostile=1//'",
  '../../request/a?b#c',
  '%2F%00\u202Etxt',
];

interface HostileRequest {
  readonly text: string;
}

const { ConfigMap, Secret } = builtin;
const namespace = 'default';

/** An operator with a debug server: it owns a Secret for each ConfigMap, and fails for some. */
export class ShopOperator implements AsyncDisposable {
  readonly server: ApiServer;
  readonly manager: Manager;
  readonly lines: string[];
  readonly #ended: Promise<void>;

  private constructor(server: ApiServer, manager: Manager, lines: string[]) {
    this.server = server;
    this.manager = manager;
    this.lines = lines;
    this.#ended = manager.start().catch(() => undefined);
  }

  static async start(): Promise<ShopOperator> {
    const server = await createApiServer();
    const lines: string[] = [];
    const manager = createManager({
      cluster: server.cluster,
      logger: createLogger({ level: 'info', write: (line) => void lines.push(line) }),
      stopSignals: [],
      gracePeriod: 0,
      servers: { debug: { port: 0, actions: true } },
    });
    addShop(manager);
    addHostile(manager);
    const operator = new ShopOperator(server, manager, lines);
    await manager.started;
    return operator;
  }

  /** The address of the page, with the token in its fragment. */
  get url(): string {
    const { ports, debugToken } = this.manager;
    return `http://127.0.0.1:${ports.debug}/#token=${debugToken}`;
  }

  /** Creates a ConfigMap, or changes its value. */
  async write(name: string, value: string): Promise<void> {
    await this.manager.client.apply(ConfigMap, {
      metadata: { namespace, name },
      data: { value },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.manager.stop();
    await this.#ended;
    await this.server.close();
  }
}

function addShop(manager: Manager): void {
  manager.addController({
    name: 'shop',
    for: ConfigMap,
    owns: [Secret],
    backoff: { base: '1h' },
    async reconcile({ namespace: place, name }, { cache, client, events }) {
      const shop = cache.get(ConfigMap, { namespace: place, name });
      if (shop === undefined) return;
      if (name.startsWith('broken')) throw new Error(`the shop ${name} is broken`);
      events.record(shop, { reason: 'Opened', action: 'Open', note: hostile[0] ?? '' });
      await client.apply(Secret, {
        metadata: {
          namespace: place,
          name,
          ownerReferences: [ownerReferenceTo(shop, { controller: true })],
        },
        stringData: { password: canary },
      });
    },
  });
  manager.addController({ name: 'secrets', for: Secret, reconcile: () => undefined });
}

/** Its requests and errors are texts that an attacker chose. */
function addHostile(manager: Manager): void {
  const controller = manager.addController<never, undefined, HostileRequest>({
    name: 'hostile',
    keyOf: ({ text }) => text,
    backoff: { base: '1h' },
    reconcile: ({ text }) => {
      throw new Error(text);
    },
  });
  for (const text of hostile) controller.enqueue({ text });
}
