import { type ColumnDefinition, usualDefinitions } from './column-definition.ts';
import { ageColumn, column, nameColumn, type Cell, type Column } from './column.ts';
import { ageOf } from './human-duration.ts';
import { evaluateJsonPath, parseJsonPath } from './json-path.ts';
import type { TableColumns } from './table.ts';
import { jsonText } from '@keelson/structural-schema';

/** An entry of `additionalPrinterColumns` in a definition. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/**
 * Creates the columns of a custom resource: its name, then the printer columns of the definition, by default the age.
 */
export function customColumns(columns: readonly PrinterColumn[] = []): TableColumns {
  if (columns.length === 0) {
    return { columns: [nameColumn, ageColumn], definitions: () => definitionsOf([agePrinter()]) };
  }
  return {
    columns: [nameColumn, ...columns.map(customColumn)],
    definitions: () => definitionsOf(columns),
  };
}

function definitionsOf(columns: readonly PrinterColumn[]): ColumnDefinition[] {
  return [usualDefinitions().name, ...columns.map(definitionOf)];
}

function definitionOf(printer: PrinterColumn): ColumnDefinition {
  const { name, type, format = '', priority = 0, jsonPath } = printer;
  const description =
    printer.description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return { name, type, format, description, priority };
}

function agePrinter(): PrinterColumn {
  const { description } = usualDefinitions().created;
  return { name: 'Age', type: 'date', description, jsonPath: '.metadata.creationTimestamp' };
}

function customColumn(printer: PrinterColumn): Column {
  const path = parseJsonPath(printer.jsonPath);
  return column(printer.name, (object, now) =>
    cellOf(evaluateJsonPath(path, object)[0], printer.type, now),
  );
}

/** A value that does not have the type of its column results in an empty cell, as in kube-apiserver. */
function cellOf(value: unknown, type: string, now: number): Cell {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      if (typeof value === 'bigint') return value;
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value, now);
    default:
      return typeof value === 'string' ? value : jsonText(value);
  }
}
