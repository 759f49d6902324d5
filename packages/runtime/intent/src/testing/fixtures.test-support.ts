import type { ApiResource, builtin, ObjectOf } from '@keelson/apimachinery';
import { createLogger, type Logger } from '@keelson/manager';

export const silent: Logger = createLogger({ level: 'silent' });

/** An idle event loop does so many turns in about ten seconds; a busy machine delays sockets by more than a few. */
const MAX_TURNS = 4_000_000;

/** Resolves when the condition is true; checks it after every turn of the event loop. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; !(await condition()); turns += 1) {
    if (turns > MAX_TURNS) throw new Error('the condition did not become true');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A promise that the test resolves. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** The CustomResourceDefinition with which a server serves the kind. */
export function crdOf(resource: ApiResource): ObjectOf<typeof builtin.CustomResourceDefinition> {
  const { group, version, kind, plural } = resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  };
}
