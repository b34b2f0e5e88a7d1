/** A list of choices in which the current choice is marked and selected. */
import * as vscode from "vscode";

export interface Choice<T> {
  label: string;
  description?: string;
  detail?: string;
  value: T;
}

/** Returns the value that the user chose; undefined if the user cancels. */
export async function pickOne<T>(title: string, choices: Choice<T>[], current?: T): Promise<T | undefined> {
  const list = vscode.window.createQuickPick<Choice<T> & vscode.QuickPickItem>();
  list.title = title;
  list.matchOnDescription = true;
  list.items = choices.map((choice) =>
    choice.value === current ? { ...choice, label: `$(check) ${choice.label}` } : choice,
  );
  if (current !== undefined) {
    list.activeItems = list.items.filter(({ value }) => value === current);
  }
  return new Promise((resolve) => {
    list.onDidAccept(() => {
      resolve(list.selectedItems[0]?.value);
      list.hide();
    });
    list.onDidHide(() => {
      resolve(undefined);
      list.dispose();
    });
    list.show();
  });
}
