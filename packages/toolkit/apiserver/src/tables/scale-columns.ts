import { type ColumnDefinition, usualDefinitions } from './column-definition.ts';
import { ageColumn, column, nameColumn, numberAt } from './column.ts';
import type { TableColumns } from './table.ts';

const desired = ['spec', 'replicas'];
const available = ['status', 'replicas'];

/** Columns for the Scale of a built-in kind. */
export const scaleColumns: TableColumns = {
  columns: [
    nameColumn,
    column('Desired', (scale) => numberAt(scale, desired)),
    column('Available', (scale) => numberAt(scale, available)),
    ageColumn,
  ],
  definitions() {
    const { name, created } = usualDefinitions();
    return [
      { ...name, format: '' },
      count('Desired', 'replicas is the desired number of instances for the scaled object.'),
      count(
        'Available',
        'replicas is the actual number of observed instances of the scaled object.',
      ),
      { ...created, name: 'Age', type: 'string' },
    ];
  },
};

/** Columns for the Scale of a custom resource, built as printer columns: a missing value is null. */
export const customScaleColumns: TableColumns = {
  columns: [
    nameColumn,
    column('Desired', (scale) => numberAt(scale, desired) || null),
    column('Available', (scale) => numberAt(scale, available)),
    ageColumn,
  ],
  definitions() {
    const { name, created } = usualDefinitions();
    return [
      name,
      count('Desired', 'Number of desired replicas'),
      count('Available', 'Number of actual replicas'),
      { ...created, name: 'Age' },
    ];
  },
};

function count(name: string, description: string): ColumnDefinition {
  return { name, type: 'integer', format: '', description, priority: 0 };
}
