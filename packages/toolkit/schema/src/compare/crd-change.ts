/** A change of a CRD that breaks stored objects or clients. */
export interface CrdChange {
  /** The version whose schema or options changed; undefined for a change of the whole kind. */
  readonly version?: string;
  /** The field of the objects, such as `spec.ports[].name`, or the member of the CRD, such as `names.plural`. */
  readonly path: string;
  readonly reason: string;
  /**
   * `objects`: objects that are stored may become invalid or lose data. `clients`: requests that succeeded may fail, or
   * responses have values that the old schema excludes.
   */
  readonly breaks: readonly ('objects' | 'clients')[];
  readonly cure: string;
}

/** Collects changes; `path` names the field. */
export type Report = (
  path: string,
  reason: string,
  change: Pick<CrdChange, 'breaks' | 'cure'>,
) => void;

const newVersion = 'make the change in a new version, with a conversion';

/** Valid objects become invalid. */
export const narrows: Pick<CrdChange, 'breaks' | 'cure'> = {
  breaks: ['objects', 'clients'],
  cure: `${newVersion}, or change the stored objects first`,
};

/** Data of stored objects is dropped. */
export const loses: Pick<CrdChange, 'breaks' | 'cure'> = {
  breaks: ['objects', 'clients'],
  cure: 'keep the field, marked as deprecated in its description, or convert it in a new version',
};

/** Only requests and responses change. */
export const surprises: Pick<CrdChange, 'breaks' | 'cure'> = {
  breaks: ['clients'],
  cure: `update the clients first, or ${newVersion}`,
};
