import {
  isConflict,
  isNotFound,
  type ApiResource,
  type Client,
  type KubernetesObject,
} from '@keelson/manager';
import { isAlreadyExists } from '@keelson/manager/objects';
import type { Random } from './system.ts';

/** An element of a list that is not empty. */
export function oneOf<Element>(elements: readonly Element[], random: Random): Element {
  return elements[Math.floor(random() * elements.length)] as Element;
}

/** Makes a change. Ignores a conflict, and an object that is missing or exists already. */
export async function attempt(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (isConflict(error) || isNotFound(error) || isAlreadyExists(error)) return;
    throw error;
  }
}

/** Deletes every object of a kind. */
export async function deleteAll<T extends KubernetesObject>(
  client: Client,
  resource: ApiResource<T>,
): Promise<void> {
  for await (const { metadata } of client.items(resource)) {
    await attempt(() => client.delete(resource, metadata));
  }
}

/** The objects of a kind that exist, a line each. */
export async function remaining<T extends KubernetesObject>(
  client: Client,
  resource: ApiResource<T>,
): Promise<string[]> {
  const lines: string[] = [];
  for await (const { metadata } of client.items(resource)) {
    lines.push(`${resource.kind} ${metadata.namespace ?? ''}/${metadata.name} exists`);
  }
  return lines;
}
