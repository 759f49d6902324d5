import { expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { FastSlowLimiter } from '@keelson/workqueue';
import { WebApp } from '../testing/fixtures.test-support.ts';
import { generationChanged, type Controller, type Manager } from '../index.ts';
import type { ReconfigureResult, Reconfiguration } from '../entry-points/sources.ts';

const { ConfigMap, Node, Secret } = builtin;

/** Never called. The test is that this function compiles and that the marked lines do not. */
export async function changing(controller: Controller, signal: AbortSignal): Promise<void> {
  const result: ReconfigureResult = await controller.reconfigure(
    {
      concurrency: 8,
      timeout: '2m',
      rateLimiter: new FastSlowLimiter({ fast: 1, slow: 2, fastAttempts: 3 }),
      namespaces: ['a', 'b'],
      for: {
        resource: WebApp,
        labelSelector: 'app=web',
        predicates: [generationChanged, ({ object }) => object.value().spec?.image !== ''],
      },
      owns: [ConfigMap],
      watches: [
        { resource: Secret, map: (secret) => ({ name: secret.value().type ?? '' }) },
        // @ts-expect-error a Secret has no replicas
        { resource: Secret, map: (secret) => ({ name: secret.value().spec.replicas }) },
        // @ts-expect-error a request has a name
        { resource: Secret, map: (secret) => ({ nam: secret.name }) },
      ],
      reads: [Node],
    },
    { signal },
  );
  // @ts-expect-error the result is read-only
  result.started.push('for WebApp');
  await controller.reconfigure({ backoff: { base: '1s' }, maxAttempts: 3 });
  await controller.reconfigure({ for: WebApp });
  await controller.reconfigure({});
  const changes: Reconfiguration = { concurrency: 2 };
  await controller.reconfigure(changes);
  // @ts-expect-error a misspelt option
  await controller.reconfigure({ concurency: 2 });
  // @ts-expect-error an invalid duration
  await controller.reconfigure({ timeout: 'soon' });
  // @ts-expect-error the reconcile is fixed
  await controller.reconfigure({ reconcile: () => undefined });
  // @ts-expect-error the name is fixed
  await controller.reconfigure({ name: 'other' });
  // @ts-expect-error an option of controller-runtime
  await controller.reconfigure({ maxConcurrentReconciles: 2 });
  // @ts-expect-error `for` names a kind
  await controller.reconfigure({ for: { labelSelector: 'a=b' } });
  // @ts-expect-error a cluster-scoped kind has no namespaces
  await controller.reconfigure({ watches: [{ resource: Node, namespaces: ['a'], map: () => [] }] });
}

/** Never called. */
export async function changingOwnRequests(manager: Manager): Promise<void> {
  const controller = manager.addController({
    name: 'own',
    keyOf: ({ id }) => id,
    reconcile: (_request: { readonly id: string }) => undefined,
  });
  await controller.reconfigure({
    watches: [{ resource: Secret, map: ({ uid }) => ({ id: uid }) }],
  });
  // @ts-expect-error a request has an id
  await controller.reconfigure({ watches: [{ resource: Secret, map: ({ name }) => ({ name }) }] });
}

test('a change of a live controller is typed by the kinds that it names', () => {
  expect(changing).toBeInstanceOf(Function);
});
