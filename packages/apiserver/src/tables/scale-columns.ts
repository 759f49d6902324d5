import { usualDefinitions } from './column-definition.ts';
import { ageColumn, column, nameColumn, numberAt } from './column.ts';
import type { TableColumns } from './table.ts';

/** The columns of a Scale, which no list has. */
export const scaleColumns: TableColumns = {
  columns: [
    nameColumn,
    column('Desired', (scale) => numberAt(scale, ['spec', 'replicas'])),
    column('Available', (scale) => numberAt(scale, ['status', 'replicas'])),
    ageColumn,
  ],
  definitions() {
    const { name, created } = usualDefinitions();
    const number = { type: 'integer', format: '', priority: 0 };
    return [
      { ...name, format: '' },
      {
        ...number,
        name: 'Desired',
        description: 'replicas is the desired number of instances for the scaled object.',
      },
      {
        ...number,
        name: 'Available',
        description: 'replicas is the actual number of observed instances of the scaled object.',
      },
      { ...created, name: 'Age', type: 'string' },
    ];
  },
};
