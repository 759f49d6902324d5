import { defineResource, type ApiResource, type KubernetesObject } from '@keelson/apimachinery';

/** An object of the simulated server. */
export interface Item extends KubernetesObject {
  readonly spec?: {
    readonly value: number;
    /** The name of the Thing that an object of another kind belongs to. */
    readonly target?: string;
  };
}

/** The kind that controllers reconcile. It has a definition, which may be deleted. */
export const Thing: ApiResource<Item> = kind('example.com', 'Thing', 'things');

/** The kind whose objects have a Thing as their owner. */
export const Part: ApiResource<Item> = kind('example.com', 'Part', 'parts');

/** The kind whose objects are mapped to a Thing. */
export const Setting: ApiResource<Item> = kind('settings.example.com', 'Setting', 'settings');

/** All kinds of the server. */
export const kinds: readonly ApiResource<Item>[] = [Thing, Part, Setting];

export const namespaces = ['n1', 'n2'] as const;
export const names = ['a', 'b', 'c'] as const;

/** The labels that objects have. No object has the label `app=w`, which selectors name. */
export const labels: readonly Readonly<Record<string, string>>[] = [
  {},
  { app: 'x' },
  { app: 'y' },
  { app: 'z' },
];

function kind(group: string, name: string, plural: string): ApiResource<Item> {
  return defineResource<Item>({ group, version: 'v1', kind: name, plural });
}
