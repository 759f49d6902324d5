import { setControllerReference, type DeepReadonly } from '@keelson/manager';
import type { builtin, ObjectOf, Persisted } from '@keelson/manager';
import type { Shop } from './shop.ts';

type Deployment = ObjectOf<typeof builtin.Deployment>;
type Service = ObjectOf<typeof builtin.Service>;

const generationAnnotation = 'demo.keelson.dev/generation';
const colourAnnotation = 'demo.keelson.dev/colour';

/** No replicas: on a real cluster the demo is about objects, not about pods. */
export function deploymentFor(
  shop: DeepReadonly<Persisted<Shop>>,
  colour: string | undefined,
): Deployment {
  const labels = { app: shop.metadata.name };
  const annotations = {
    ...marks(shop),
    ...(colour === undefined ? {} : { [colourAnnotation]: colour }),
  };
  const deployment: Deployment = {
    metadata: { ...named(shop), annotations },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'shop', image: shop.spec.image }] },
      },
    },
  };
  return setControllerReference(deployment, shop);
}

export function serviceFor(shop: DeepReadonly<Persisted<Shop>>): Service {
  const service: Service = {
    metadata: { ...named(shop), annotations: marks(shop) },
    spec: { selector: { app: shop.metadata.name }, ports: [{ port: 80, targetPort: 8080 }] },
  };
  return setControllerReference(service, shop);
}

/** Whether an owned object was created from this generation of the shop. */
export function isUpToDate(
  owned: DeepReadonly<Persisted<Deployment | Service>> | undefined,
  shop: DeepReadonly<Persisted<Shop>>,
): boolean {
  const generation = owned?.metadata.annotations?.[generationAnnotation];
  return generation === String(shop.metadata.generation);
}

export function colourOf(deployment: DeepReadonly<Persisted<Deployment>>): string | undefined {
  return deployment.metadata.annotations?.[colourAnnotation];
}

function named(shop: DeepReadonly<Persisted<Shop>>): { namespace: string; name: string } {
  const { namespace, name } = shop.metadata;
  return { namespace, name };
}

function marks(shop: DeepReadonly<Persisted<Shop>>): Record<string, string> {
  return { [generationAnnotation]: String(shop.metadata.generation) };
}
