import type { JsonSchema } from '@keelson/structural-schema';

const text: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'integer', format: 'int64' };
const flag: JsonSchema = { type: 'boolean' };
const texts: JsonSchema = { type: 'object', additionalProperties: text };

const ownerReference: JsonSchema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'name', 'uid'],
  properties: {
    apiVersion: text,
    kind: text,
    name: text,
    uid: text,
    controller: flag,
    blockOwnerDeletion: flag,
  },
};

/** The schema of `metadata`, which a CRD does not contain. */
export const metadataSchema: JsonSchema = {
  type: 'object',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    generation: integer,
    creationTimestamp: text,
    deletionTimestamp: text,
    deletionGracePeriodSeconds: integer,
    labels: texts,
    annotations: texts,
    ownerReferences: { type: 'array', items: ownerReference },
    finalizers: { type: 'array', items: text },
    managedFields: {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
    selfLink: text,
  },
};
