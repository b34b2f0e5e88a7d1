;;; lsp_mode.el --- Drives editors/emacs/gpuasync.el with lsp-mode, as a user would -*- lexical-binding: t; -*-
;; Environment: GPUASYNC_PLUGIN (editors/emacs), GPUASYNC_SERVER (program), GPUASYNC_FILE.
;; Ends with status 0, or 1 after printing what was expected.
(require 'package)
(package-initialize)
(require 'lsp-mode)
(require 'lsp-diagnostics)
(add-to-list 'load-path (getenv "GPUASYNC_PLUGIN"))
(setq gpuasync-server-command (list (getenv "GPUASYNC_SERVER") "--stdio")
      lsp-auto-guess-root t lsp-restart 'ignore lsp-enable-file-watchers nil lsp-keep-workspace-alive nil
      lsp-diagnostics-provider :none lsp-headerline-breadcrumb-enable nil lsp-modeline-code-actions-enable nil
      lsp-session-file (expand-file-name "session" (getenv "HOME")))
(require 'gpuasync)

(defun wait (what condition)
  (let ((end (+ (float-time) 120)) result)
    (while (not (or (setq result (funcall condition)) (> (float-time) end)))
      (accept-process-output nil 0.02))
    (or result (error "timeout: %s" what))))

(defun contains (text part)
  (unless (string-search part text) (error "expected %S in:\n%s" part text)))

(defun on-line (number text)
  (goto-char (point-min))
  (forward-line (1- number))
  (contains (buffer-substring (point) (line-end-position)) text))

(condition-case err
    (with-current-buffer (find-file-noselect (getenv "GPUASYNC_FILE"))
      (set-window-buffer (selected-window) (current-buffer))
      (lsp)
      (wait "server" (lambda () (and (lsp-workspaces)
                                     (eq 'initialized (lsp--workspace-status (car (lsp-workspaces)))))))
      (let ((diagnostics (wait "diagnostics" (lambda () (gethash (lsp--fix-path-casing buffer-file-name)
                                                                 (lsp-diagnostics t))))))
        (contains (string-join (mapcar #'lsp:diagnostic-message diagnostics) "\n") "dependenc"))
      (on-line 7 "gpu.memcpy")
      (search-forward "gpu.mem")
      (contains (lsp:markup-content-value
                 (lsp:hover-contents (lsp-request "textDocument/hover" (lsp--text-document-position-params))))
                "gpu.memcpy")
      (search-forward "%t1")
      (lsp-execute-code-action
       (or (cl-find-if (lambda (action) (string-match-p "Depend on" (lsp:code-action-title action)))
                       (lsp-code-actions-at-point "quickfix"))
           (error "no quick fix")))
      (on-line 7 "gpu.memcpy async [%t2] %a, %b")
      (let ((updates 0))
        (add-hook 'gpuasync-preview-hook (lambda () (cl-incf updates)))
        (gpuasync-preview 24)
        (wait "preview" (lambda () (= updates 1)))
        (contains (with-current-buffer (plist-get gpuasync--preview :buffer) (buffer-string))
                  "llvm.call @mgpuMemcpy"))
      (gpuasync-run "cpu" "main")
      (contains (with-current-buffer (wait "run" (lambda () (get-buffer "*gpuasync run*"))) (buffer-string))
                "on the CPU")
      (princ "PASS lsp-mode\n")
      (set-buffer-modified-p nil)
      (kill-emacs 0))
  (error (princ (format "FAIL %s\n" (error-message-string err))) (kill-emacs 1)))
