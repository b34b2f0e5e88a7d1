;;; eglot.el --- Drives editors/emacs/gpuasync.el with eglot, as a user would -*- lexical-binding: t; -*-
;; Environment: GPUASYNC_PLUGIN (editors/emacs), GPUASYNC_SERVER (program), GPUASYNC_FILE, GPUASYNC_STEP.
;; Ends with status 0, or 1 after printing what was expected.
(require 'package)
(package-initialize)
(require 'eglot)
(add-to-list 'load-path (getenv "GPUASYNC_PLUGIN"))
(setq gpuasync-server-command (list (getenv "GPUASYNC_SERVER") "--stdio")
      eglot-sync-connect 20 eglot-autoshutdown t make-backup-files nil
      eglot-confirm-server-initiated-edits nil eglot-confirm-server-edits nil
      eglot-send-changes-idle-time 0.05 flymake-no-changes-timeout 0.1)
(require 'gpuasync)

(defun wait (what condition)
  (let ((end (+ (float-time) 20)) result)
    (while (not (or (setq result (funcall condition)) (> (float-time) end)))
      (accept-process-output nil 0.02))
    (or result (error "timeout: %s" what))))

(defun contains (text part)
  (unless (string-search part text) (error "expected %S in:\n%s" part text)))

(defun ask (method params)
  (jsonrpc-request (eglot-current-server) method params))

(defun finding (code)
  (flymake-start)
  (wait code (lambda () (cl-find-if (lambda (d) (string-search code (flymake-diagnostic-text d)))
                                    (flymake-diagnostics)))))

(defun fix ()
  (let* ((d (finding "GA101"))
         (actions (eglot-code-actions (flymake-diagnostic-beg d) (flymake-diagnostic-end d) "quickfix"))
         (action (or (cl-find-if (lambda (a) (equal (plist-get a :kind) "quickfix")) actions)
                     (error "no quick fix among %S" actions))))
    (unless (plist-get action :edit) (setq action (ask :codeAction/resolve action)))
    (eglot--apply-workspace-edit (plist-get action :edit))
    ;; eglot sends changes from an idle timer, and in batch mode Emacs is never idle.
    (eglot--signal-textDocument/didChange)
    (wait "GA101 gone" (lambda ()
                         (not (cl-find-if (lambda (d) (string-search "GA101" (flymake-diagnostic-text d)))
                                          (flymake-diagnostics)))))))

(defun shown (prefix)
  (wait prefix (lambda () (cl-find-if (lambda (b) (string-prefix-p prefix (buffer-name b))) (buffer-list)))))

(defun text-of (buffer) (with-current-buffer buffer (buffer-string)))

(defun on-line (number text)
  (goto-char (point-min))
  (forward-line (1- number))
  (contains (buffer-substring (point) (line-end-position)) text))

(defvar steps
  `(("diagnostics" . ,(lambda ()
      (let ((d (finding "GA101")))
        (contains (flymake-diagnostic-text d) "dependenc")
        (cl-assert (= 7 (line-number-at-pos (flymake-diagnostic-beg d)))))))
    ("hover" . ,(lambda ()
      (on-line 7 "gpu.memcpy")
      (search-forward "gpu.mem")
      (contains (plist-get (plist-get (ask :textDocument/hover (eglot--TextDocumentPositionParams)) :contents) :value)
                "gpu.memcpy")))
    ("fix" . ,(lambda ()
      (fix)
      (on-line 7 "gpu.memcpy async [%t2] %a, %b")))
    ("preview" . ,(lambda ()
      (fix)
      (let ((source (current-buffer)) (updates 0))
        (add-hook 'gpuasync-preview-hook (lambda () (cl-incf updates)))
        (gpuasync-preview)
        (wait "preview" (lambda () (= updates 1)))
        (let ((preview (shown "*gpuasync lowering: ")))
          (contains (text-of preview) "llvm.call @mgpuMemcpy")
          (on-line 7 "gpu.memcpy")
          (run-hooks 'post-command-hook)
          (with-current-buffer preview
            (let ((overlay (car (cl-remove-if-not (lambda (o) (overlay-get o 'gpuasync-linked))
                                                  (overlays-in (point-min) (point-max))))))
              (cl-assert overlay nil "nothing is highlighted in the preview")
              (goto-char (overlay-start overlay))
              (call-interactively #'gpuasync-preview-visit)))
          (cl-assert (eq (window-buffer (selected-window)) source))
          (with-current-buffer source (cl-assert (= 7 (line-number-at-pos))))
          (with-current-buffer source
            (goto-char (point-min))
            (search-forward "@main")
            (replace-match "@renamed"))
          (wait "update" (lambda () (= updates 2)))
          (contains (text-of preview) "@renamed")))))
    ("streams" . ,(lambda ()
      (gpuasync-streams)
      (contains (text-of (shown "*gpuasync streams: ")) "memcpy")))
    ("run" . ,(lambda ()
      (gpuasync-run "cpu" "main")
      (contains (text-of (shown "*gpuasync run*")) "[84,  84]")))))

(condition-case err
    (let ((buffer (find-file-noselect (getenv "GPUASYNC_FILE"))) (step (getenv "GPUASYNC_STEP")))
      (with-current-buffer buffer
        (set-window-buffer (selected-window) buffer)
        (cl-assert (eq major-mode 'mlir-mode))
        (apply #'eglot (eglot--guess-contact))
        (wait "server" (lambda () (and (eglot-current-server) (eglot-managed-p))))
        (funcall (or (cdr (assoc step steps)) (error "no step %s" step)))
        (with-current-buffer buffer
          (set-buffer-modified-p nil)
          (eglot-shutdown (eglot-current-server))))
      (princ (format "PASS %s\n" step))
      (kill-emacs 0))
  (error (princ (format "FAIL %s\n" (error-message-string err))) (kill-emacs 1)))
