// Without the fonts of the default theme: the system's are there at once.
import theme from 'vitepress/theme-without-fonts';
// oxlint-disable-next-line import/no-unassigned-import -- the bundler reads styles from such imports
import './style.css';

export default theme;
