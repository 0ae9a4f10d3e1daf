// The menu: what a platform expects, and one entry for each thing of ours that has a key.
import { app, Menu, type MenuItemConstructorOptions } from 'electron';

export interface MenuActions {
  addDocuments(): void;
  /** Told to the window, which knows what it means. */
  command(name: string): void;
}

export function setMenu(actions: MenuActions): void {
  const mac = process.platform === 'darwin';
  const tab = (label: string, name: string, key: string): MenuItemConstructorOptions => ({
    label,
    accelerator: `CmdOrCtrl+${key}`,
    click: () => actions.command(name),
  });
  const macApp: MenuItemConstructorOptions[] = mac ? [{ role: 'appMenu' }] : [];
  const macRecent: MenuItemConstructorOptions[] = mac ? [{ role: 'recentDocuments', submenu: [{ role: 'clearRecentDocuments' }] }] : [];
  const tools: MenuItemConstructorOptions[] = app.isPackaged ? [] : [{ role: 'toggleDevTools' }];
  const template: MenuItemConstructorOptions[] = [
    ...macApp,
    {
      label: 'File',
      submenu: [
        { label: 'Add documents…', accelerator: 'CmdOrCtrl+O', click: () => actions.addDocuments() },
        ...macRecent,
        { type: 'separator' },
        mac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        tab('Ask', 'tab.ask', '1'),
        tab('Compare', 'tab.compare', '2'),
        tab('Summary', 'tab.summary', '3'),
        tab('Review', 'tab.review', '4'),
        { type: 'separator' },
        { label: 'Light, dark or as the system', click: () => actions.command('theme') },
        { role: 'togglefullscreen' },
        ...tools,
      ],
    },
    { role: 'windowMenu' },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
