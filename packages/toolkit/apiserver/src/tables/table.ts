import type { ListMeta } from '@keelson/apimachinery';
import type { MetaVersion } from '../http/media-type.ts';
import { clusterColumns } from './cluster-columns.ts';
import {
  type ColumnDefinition,
  recordedDefinitions,
  usualDefinitions,
} from './column-definition.ts';
import { createdAtColumn, nameColumn, type Cell, type Column, type Fields } from './column.ts';
import { coreColumns } from './core-columns.ts';
import { groupColumns } from './group-columns.ts';
import { workloadColumns } from './workload-columns.ts';

/** The part of each object that a row includes (`?includeObject=`). */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** A Table, which `kubectl get` requests instead of the objects. */
export interface Table {
  kind: 'Table';
  apiVersion: MetaVersion;
  metadata: ListMeta;
  columnDefinitions: readonly ColumnDefinition[] | null;
  rows: { cells: Cell[]; object: object | null }[] | null;
}

/** Columns of a kind. The definitions are loaded on first use because reading them takes time. */
export interface TableColumns {
  readonly columns: readonly Column[];
  readonly definitions: () => readonly ColumnDefinition[];
  /** An annotation of an internal field, which rows do not have. */
  readonly internalAnnotation?: string;
}

export interface TableOptions {
  readonly apiVersion: MetaVersion;
  readonly columns: TableColumns;
  readonly objects: readonly Fields[];
  /** Metadata of the list, or the resourceVersion of a single object. */
  readonly metadata: ListMeta;
  readonly includeObject: IncludeObject;
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
  /** False for later rows of a watch; only its first row has column definitions. Default true. */
  readonly withDefinitions?: boolean;
}

/** Clients see the internal field `templateGeneration` of a DaemonSet in this annotation. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** Returns the columns of a built-in kind by its resource id (`apps/v1/deployments`). */
export function builtinColumns(resourceId: string): TableColumns {
  const columns =
    workloadColumns[resourceId] ??
    coreColumns[resourceId] ??
    groupColumns[resourceId] ??
    clusterColumns[resourceId];
  if (columns === undefined) return plainColumns;
  return {
    columns,
    definitions: () => recordedDefinitions(resourceId),
    ...(resourceId === 'apps/v1/daemonsets' && { internalAnnotation: TEMPLATE_GENERATION }),
  };
}

/** Columns of kinds without a printer. */
export const plainColumns: TableColumns = {
  columns: [nameColumn, createdAtColumn],
  definitions() {
    const { name, created } = usualDefinitions();
    return [name, created];
  },
};

/** Builds the Table of some objects. */
export function tableOf(options: TableOptions): Table {
  const { columns, withDefinitions = true } = options;
  return {
    kind: 'Table',
    apiVersion: options.apiVersion,
    metadata: options.metadata,
    columnDefinitions: withDefinitions ? columns.definitions() : null,
    rows: rowsOf(options),
  };
}

/** Without a printer, kube-apiserver writes null for an empty list of rows. */
function rowsOf(options: TableOptions): Table['rows'] {
  const { columns, objects, now } = options;
  if (objects.length === 0 && columns === plainColumns) return null;
  return objects.map((object) => ({
    cells: columns.columns.map((column) => column.cell(object, now)),
    object: included(object, options),
  }));
}

function included(
  object: Fields,
  { includeObject, apiVersion, columns }: TableOptions,
): object | null {
  switch (includeObject) {
    case 'None':
      return null;
    case 'Object':
      return object;
    default:
      return {
        kind: 'PartialObjectMetadata',
        apiVersion,
        metadata: shownMetadata(object, columns.internalAnnotation),
      };
  }
}

function shownMetadata({ metadata }: Fields, hidden: string | undefined): Fields['metadata'] {
  const { annotations, ...rest } = metadata ?? {};
  if (hidden === undefined || annotations?.[hidden] === undefined) return metadata;
  const { [hidden]: _, ...shown } = annotations;
  return Object.keys(shown).length === 0 ? rest : { ...rest, annotations: shown };
}
