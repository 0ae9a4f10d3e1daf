// pdf.js's own worker, after what it needs of a newer browser.
import './older.ts';
import 'pdfjs-dist/legacy/build/pdf.worker.min.mjs';
