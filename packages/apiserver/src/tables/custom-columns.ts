import { ageColumn, nameColumn, type Cell, type Column } from './column.ts';
import { ageOf } from './human-duration.ts';
import { evaluateJsonPath, parseJsonPath } from './json-path.ts';

/** One entry of a CRD version's `additionalPrinterColumns`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** The columns of a custom resource: its name, then what the CRD asks for, else its age. */
export function customColumns(columns: readonly PrinterColumn[] | undefined): readonly Column[] {
  if (columns === undefined || columns.length === 0) {
    return [nameColumn, { ...ageColumn, type: 'date' }];
  }
  return [nameColumn, ...columns.map(customColumn)];
}

function customColumn(column: PrinterColumn): Column {
  const path = parseJsonPath(column.jsonPath);
  return {
    name: column.name,
    type: typeOf(column.type),
    ...(column.format !== undefined && { format: column.format }),
    description:
      column.description ??
      `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
    wide: (column.priority ?? 0) > 0,
    cell: (object, now) => cellOf(evaluateJsonPath(path, object)[0], column.type, now),
  };
}

function typeOf(type: string): Column['type'] {
  return type === 'integer' || type === 'number' || type === 'boolean' || type === 'date'
    ? type
    : 'string';
}

/** A value of another type than the column's is an empty cell, as on a real server. */
function cellOf(value: unknown, type: string, now: number): Cell {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageOf(value, now) : null;
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}
