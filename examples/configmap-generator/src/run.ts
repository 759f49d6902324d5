// #region run
import { createOperator } from './operator.ts';

await createOperator({ servers: { metrics: 8080, health: 8081 } }).start();
// #endregion
